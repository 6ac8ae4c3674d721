/** Shows the version that somebody saved meanwhile beside the own one, of which nothing is lost. */

import { useEffect, useState } from 'preact/hooks'
import { Dialog } from './dialog.tsx'
import { Failed, Loading } from './states.tsx'
import { TextDiff } from './textDiff.tsx'

/** What a screen does about a conflict. */
export interface Resolving<Saved> {
  readonly onKeep: (etag: string | undefined) => void
  readonly onTheirs: (theirs: Saved) => void
  readonly onClose: () => void
}

interface ConflictProps<Saved> extends Resolving<Saved> {
  readonly noun: string
  /** Asks for the version of the other one anew: what is kept is what the screen was opened with. */
  readonly load: () => Promise<Saved>
  readonly textOf: (theirs: Saved) => string
  readonly mine: string
}

export function ConflictDialog<Saved extends { readonly etag: string | undefined }>({
  noun,
  load,
  textOf,
  mine,
  ...resolving
}: ConflictProps<Saved>) {
  const [theirs, show] = useState<Saved>()
  const [failure, fail] = useState<Error>()
  const { onKeep, onTheirs, onClose } = resolving
  const ask = () => {
    fail(undefined)
    load().then(show, fail)
  }
  useEffect(ask, [])
  return (
    <Dialog title={`Somebody else saved this ${noun} meanwhile`} onClose={onClose}>
      {failure && <Failed failure={failure} retry={ask} />}
      {!theirs && !failure && <Loading />}
      {theirs && (
        <>
          <p>
            What yours changes in theirs: <ins>added</ins>, <del>removed</del>.
          </p>
          <TextDiff before={textOf(theirs)} after={mine} />
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
