/** Shares this thread among computations that nobody can interrupt: after much of them everybody else has their turn. */

import { openFairQueue } from './fairQueue.ts'

/** Milliseconds of computations in one turn of the event loop, after which what is asked for begins in a later one. */
const turnMs = 4

export interface Computing {
  /** Computes when the turn of the key has come: at once where little was computed since the last turn of the event loop. */
  readonly run: <Value>(key: string, work: () => Value) => Promise<Value>
}

export interface ComputingOptions {
  /** A clock that never goes back. */
  readonly nowMs?: () => number
  /** Calls back in the next turn of the event loop. */
  readonly nextTurn?: (work: () => void) => void
}

/**
 * Opens the computing of one thread. Of those who wait one after the other begins, in turn between the keys, so that nobody waits
 * behind all that another has asked for. How many may wait is bounded by the places of requests.
 */
export function openComputing({
  nowMs = () => performance.now(),
  nextTurn = setImmediate,
}: ComputingOptions = {}): Computing {
  let spentMs = 0
  let isExpected = false

  const turn = (): void => {
    isExpected = false
    spentMs = 0
    queue.advance()
  }
  const expectTurn = (): void => {
    if (isExpected) return
    isExpected = true
    nextTurn(turn)
  }
  const every = Number.POSITIVE_INFINITY
  const queue = openFairQueue(
    { places: 1, share: 1, waitingMax: every, waitingShare: every },
    {
      mayBegin: () => {
        if (spentMs < turnMs) return true
        expectTurn()
        return false
      },
      began: expectTurn,
    },
  )

  return {
    run: (key, work) =>
      new Promise((resolve, reject) => {
        queue.enter(key, (leave) => {
          const beganMs = nowMs()
          try {
            resolve(work())
          } catch (error) {
            reject(error)
          }
          spentMs += nowMs() - beganMs
          leave()
        })
      }),
  }
}
