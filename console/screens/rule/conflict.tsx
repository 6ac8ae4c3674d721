/** Shows the rule that somebody saved meanwhile beside the own text. */

import { ask } from '../../api/client.ts'
import { ConflictDialog, type Resolving } from '../../parts/conflictDialog.tsx'
import type { Draft, Saved } from './ruleDraft.ts'

interface ConflictProps extends Resolving<Saved> {
  readonly id: string
  readonly mine: Draft
}

export function Conflict({ id, mine, ...resolving }: ConflictProps) {
  return (
    <ConflictDialog
      noun="rule"
      load={async () => {
        const { value, etag } = await ask('GET /v2/watch/management/rules/{id}', { path: { id } })
        return { rule: value, etag }
      }}
      textOf={({ rule }) => describe(rule)}
      mine={describe(mine)}
      {...resolving}
    />
  )
}

function describe({ name, expression }: Draft): string {
  return `${name}\n${expression}`
}
