/** The turns of the event loop in which requests begin. */

import { type FairQueue, openFairQueue } from '../../domain/fairQueue.ts'

/** Requests that begin in one turn, whatever they are answered: what arrives in between is read before the next ones. */
const beginningsPerTurn = 16

const unbounded = Number.POSITIVE_INFINITY

/**
 * Opens a queue whose work begins a little in each turn of the event loop, in turn between the keys. It refuses nobody: who waits is
 * bounded by the connections, which have one request each under way. `nextTurn` calls back in the next turn.
 */
export function openTurns(nextTurn: (work: () => void) => void = setImmediate): FairQueue {
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
