/** Saves a rule over the version that its text was opened from, or says that there is a newer one. */

import { useState } from 'preact/hooks'
import { type ApiFailure, ask } from '../../api/client.ts'
import { forget } from '../../api/query.ts'
import type { SavedRule } from '../../api/schema.ts'
import type { Draft } from './ruleDraft.ts'

interface SaveOptions {
  /** Undefined of a new rule. */
  readonly id: string | undefined
  readonly onSaved: (rule: SavedRule, etag: string | undefined) => void
}

export interface Saving {
  readonly failure: ApiFailure | undefined
  /** Whether somebody else saved meanwhile. */
  readonly isConflict: boolean
  readonly said: string
  readonly save: (draft: Draft, etag: string | undefined) => Promise<void>
  readonly endConflict: () => void
}

export function useSave({ id, onSaved }: SaveOptions, firstSaid: string): Saving {
  const [failure, fail] = useState<ApiFailure>()
  const [isConflict, setConflict] = useState(false)
  const [said, say] = useState(firstSaid)
  const save = async (draft: Draft, etag: string | undefined) => {
    fail(undefined)
    say('')
    try {
      const saved = await send(id, draft, etag)
      setConflict(false)
      await forget('GET /v2/watch/management/rules', 'GET /v2/watch/management/rules/{id}/versions')
      onSaved(saved.value, saved.etag)
      say('Saved as a new version.')
    } catch (error) {
      const refused = error as ApiFailure
      if (refused.status === 412) setConflict(true)
      else fail(refused)
    }
  }
  return { failure, isConflict, said, save, endConflict: () => setConflict(false) }
}

function send(id: string | undefined, draft: Draft, etag: string | undefined) {
  const body = { name: draft.name.trim(), expression: draft.expression }
  if (id === undefined) return ask('POST /v2/watch/management/rules', { body })
  const guard = etag !== undefined && { ifMatch: etag }
  return ask('PUT /v2/watch/management/rules/{id}', { path: { id }, body, ...guard })
}
