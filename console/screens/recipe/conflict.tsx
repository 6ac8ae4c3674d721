/** Shows the version that somebody saved meanwhile beside the own one, of which nothing is lost. */

import { useEffect, useState } from 'preact/hooks'
import { ask } from '../../api/client.ts'
import type { RecipeInput } from '../../api/schema.ts'
import { describeContent } from '../../parts/describeContent.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { TextDiff } from '../../parts/textDiff.tsx'
import { useNames } from '../../parts/useNames.ts'
import { contentOf, type Saved } from './recipeDraft.ts'

interface ConflictProps {
  readonly id: string
  readonly mine: RecipeInput
  readonly onKeep: (etag: string | undefined) => void
  readonly onTheirs: (theirs: Saved) => void
  readonly onClose: () => void
}

export function Conflict({ id, mine, onKeep, onTheirs, onClose }: ConflictProps) {
  const [theirs, show] = useState<Saved>()
  const [failure, fail] = useState<Error>()
  const names = useNames('rules')
  // asked anew: what is kept is what the screen was opened with
  const load = () => {
    fail(undefined)
    ask('GET /v2/watch/management/recipes/{id}', { path: { id } }).then(
      ({ value, etag }) => show({ recipe: value, etag }),
      fail,
    )
  }
  useEffect(load, [id])
  return (
    <Dialog title="Somebody else saved this recipe meanwhile" onClose={onClose}>
      {failure && <Failed failure={failure} retry={load} />}
      {!theirs && !failure && <Loading />}
      {theirs && (
        <>
          <p>
            What yours changes in theirs: <ins>added</ins>, <del>removed</del>.
          </p>
          <TextDiff
            before={describeContent(contentOf(theirs.recipe), names)}
            after={describeContent(mine, names)}
          />
          <div class="actions">
            <button type="button" class="primary" onClick={() => onKeep(theirs.etag)}>
              Save mine over theirs
            </button>
            <button type="button" onClick={() => onTheirs(theirs)}>
              Take theirs
            </button>
            <button type="button" onClick={onClose}>
              Go on editing
            </button>
          </div>
        </>
      )}
    </Dialog>
  )
}
