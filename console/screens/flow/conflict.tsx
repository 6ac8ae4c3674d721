/** Shows the flow that somebody saved meanwhile beside the own one. */

import { ask } from '../../api/client.ts'
import type { FlowInput } from '../../api/schema.ts'
import { ConflictDialog, type Resolving } from '../../parts/conflictDialog.tsx'
import { describeContent } from '../../parts/describeContent.ts'
import { useNames } from '../../parts/useNames.ts'
import { draftOf, type Saved } from './flowDraft.ts'

interface ConflictProps extends Resolving<Saved> {
  readonly id: string
  readonly mine: FlowInput
}

export function Conflict({ id, mine, ...resolving }: ConflictProps) {
  const names = useNames('recipes')
  return (
    <ConflictDialog
      noun="flow"
      load={async () => {
        const { value, etag } = await ask('GET /v2/watch/management/flows/{id}', { path: { id } })
        return { flow: value, etag }
      }}
      textOf={(theirs) => describeContent(draftOf(theirs).content, names)}
      mine={describeContent(mine, names)}
      {...resolving}
    />
  )
}
