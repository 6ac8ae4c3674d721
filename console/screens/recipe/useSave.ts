/** Saves a recipe over the version that it was opened from, or says that there is a newer one. */

import { useState } from 'preact/hooks'
import { type ApiFailure, ask } from '../../api/client.ts'
import { forget } from '../../api/query.ts'
import type { RecipeInput } from '../../api/schema.ts'
import type { Saved } from './recipeDraft.ts'

interface SaveOptions {
  readonly firstSaid: string
  readonly onSaved: (saved: Saved) => void
}

export interface Saving {
  readonly failure: ApiFailure | undefined
  /** Whether somebody else saved meanwhile. */
  readonly isConflict: boolean
  readonly said: string
  readonly warnings: readonly string[]
  readonly save: (content: RecipeInput, etag: string | undefined) => Promise<void>
  readonly endConflict: () => void
}

/** `id`: undefined of a new recipe. */
export function useSave(id: string | undefined, { firstSaid, onSaved }: SaveOptions): Saving {
  const [failure, fail] = useState<ApiFailure>()
  const [isConflict, setConflict] = useState(false)
  const [said, say] = useState(firstSaid)
  const [warnings, warn] = useState<readonly string[]>([])
  const save = async (content: RecipeInput, etag: string | undefined) => {
    fail(undefined)
    say('')
    try {
      const saved = await put(id, { ...content, name: content.name.trim() }, etag)
      const { warnings: found = [], ...recipe } = saved.value
      setConflict(false)
      warn(found.map(({ message }) => message))
      await forget(
        'GET /v2/watch/management/recipes',
        'GET /v2/watch/management/recipes/{id}/versions',
      )
      onSaved({ recipe, etag: saved.etag })
      say('Saved as a new version.')
    } catch (error) {
      const refused = error as ApiFailure
      if (refused.status === 412) setConflict(true)
      else fail(refused)
    }
  }
  return { failure, isConflict, said, warnings, save, endConflict: () => setConflict(false) }
}

function put(id: string | undefined, body: RecipeInput, etag: string | undefined) {
  if (id === undefined) return ask('POST /v2/watch/management/recipes', { body })
  const guard = etag !== undefined && { ifMatch: etag }
  return ask('PUT /v2/watch/management/recipes/{id}', { path: { id }, body, ...guard })
}
