/** Shows the version that somebody saved meanwhile beside the own one, of which nothing is lost. */

import { useEffect, useState } from 'preact/hooks'
import { ask } from '../api/client.ts'
import { type Content, contentOf, describeContent, namedBy, nouns } from './describeContent.ts'
import { Dialog } from './dialog.tsx'
import { Failed, Loading } from './states.tsx'
import { TextDiff } from './textDiff.tsx'
import type { Conflict, Draft } from './useEditing.ts'
import { useNames } from './useNames.ts'

export function ConflictDialog<Input extends Content>(props: Conflict<Input>) {
  const { kind, id, mine, onKeep, onTheirs, onClose } = props
  const [theirs, show] = useState<Draft<Input>>()
  const [failure, fail] = useState<Error>()
  const names = useNames(namedBy[kind])
  // anew: what is kept is what the screen was opened with
  const load = () => {
    fail(undefined)
    ask(`GET /v2/watch/management/${kind}/{id}`, { path: { id } }).then(
      ({ value, etag }) => show({ content: contentOf(value) as unknown as Input, etag }),
      fail,
    )
  }
  useEffect(load, [])
  return (
    <Dialog title={`Somebody else saved this ${nouns[kind]} meanwhile`} onClose={onClose}>
      {failure && <Failed failure={failure} retry={load} />}
      {!theirs && !failure && <Loading />}
      {theirs && (
        <>
          <p>
            What yours changes in theirs: <ins>added</ins>, <del>removed</del>.
          </p>
          <TextDiff
            before={describeContent(theirs.content, names)}
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
