/** A state that is small, and plain data with nothing personal in it, kept in a snapshot as it is. */

import type { SnapshotForm } from '../handling/family.ts'

/** `shape` is another one whenever states are made otherwise. */
export function snapshotAsItIs<State>(shape: string, initial: State): SnapshotForm<State> {
  return {
    shape,
    take: (state) => [state],
    build: () => {
      let kept = initial
      return {
        add: (part) => {
          kept = part as State
        },
        state: () => kept,
      }
    },
  }
}
