/** What begins in one turn of the event loop. */

import { type FairQueue, openFairQueue } from '../../domain/fairQueue.ts'

/**
 * Connections or requests that begin in one turn, whatever becomes of them. As many may begin when they arrive as at the end of that
 * turn, so between two looks at what arrived it is twice as many.
 */
const beginningsPerTurn = 8

const unbounded = Number.POSITIVE_INFINITY

/**
 * Opens a queue whose work begins a little in each turn of the event loop, in turn between the keys. It refuses nobody: who waits is
 * bounded by the connections, which have one request each under way. `nextTurn` calls back in the next turn.
 */
export function openTurns(nextTurn: (work: () => void) => void): FairQueue {
  let begun = 0
  const queue = openFairQueue(
    { places: unbounded, share: unbounded, waitingMax: unbounded, waitingShare: unbounded },
    {
      mayBegin: () => begun < beginningsPerTurn,
      began: () => {
        if (begun === 0) nextTurn(endTurn)
        begun += 1
      },
    },
  )
  const endTurn = (): void => {
    begun = 0
    queue.advance()
  }
  return queue
}
