/** Shows the recipe that somebody saved meanwhile beside the own one. */

import { ask } from '../../api/client.ts'
import type { RecipeInput } from '../../api/schema.ts'
import { ConflictDialog, type Resolving } from '../../parts/conflictDialog.tsx'
import { describeContent } from '../../parts/describeContent.ts'
import { useNames } from '../../parts/useNames.ts'
import { contentOf, type Saved } from './recipeDraft.ts'

interface ConflictProps extends Resolving<Saved> {
  readonly id: string
  readonly mine: RecipeInput
}

export function Conflict({ id, mine, ...resolving }: ConflictProps) {
  const names = useNames('rules')
  return (
    <ConflictDialog
      noun="recipe"
      load={async () => {
        const { value, etag } = await ask('GET /v2/watch/management/recipes/{id}', { path: { id } })
        return { recipe: value, etag }
      }}
      textOf={(theirs) => describeContent(contentOf(theirs.recipe), names)}
      mine={describeContent(mine, names)}
      {...resolving}
    />
  )
}
