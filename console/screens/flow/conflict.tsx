/** Shows the version that somebody saved meanwhile beside the own one, of which nothing is lost. */

import { useEffect, useState } from 'preact/hooks'
import { ask } from '../../api/client.ts'
import type { FlowInput } from '../../api/schema.ts'
import { describeContent } from '../../parts/describeContent.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { TextDiff } from '../../parts/textDiff.tsx'
import { useNames } from '../../parts/useNames.ts'
import { draftOf, type Saved } from './flowDraft.ts'

interface ConflictProps {
  readonly id: string
  readonly mine: FlowInput
  readonly onKeep: (etag: string | undefined) => void
  readonly onTheirs: (theirs: Saved) => void
  readonly onClose: () => void
}

export function Conflict({ id, mine, onKeep, onTheirs, onClose }: ConflictProps) {
  const [theirs, show] = useState<Saved>()
  const [failure, fail] = useState<Error>()
  const names = useNames('recipes')
  // asked anew: what is kept is what the screen was opened with
  const load = () => {
    fail(undefined)
    ask('GET /v2/watch/management/flows/{id}', { path: { id } }).then(
      ({ value, etag }) => show({ flow: value, etag }),
      fail,
    )
  }
  useEffect(load, [id])
  return (
    <Dialog title="Somebody else saved this flow meanwhile" onClose={onClose}>
      {failure && <Failed failure={failure} retry={load} />}
      {!theirs && !failure && <Loading />}
      {theirs && (
        <>
          <p>
            What yours changes in theirs: <ins>added</ins>, <del>removed</del>.
          </p>
          <TextDiff
            before={describeContent(draftOf(theirs).content, names)}
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
