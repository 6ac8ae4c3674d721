/** One command at a time on a stream: cheaper than deciding anew, and two equal commands cannot cross. */

import { Failure } from '../../domain/failure.ts'

/** How many commands may wait for one stream. */
const waitingMax = 1_000

export interface Turns {
  /** Runs `work` when every earlier one of the same key has ended. Throws `unavailable` when too many wait. */
  readonly take: <Value>(key: string, work: () => Promise<Value>) => Promise<Value>
}

interface Line {
  last: Promise<unknown>
  length: number
}

/** Opens the waiting lines of one process. */
export function openTurns(): Turns {
  const lines = new Map<string, Line>()

  return {
    take: async (key, work) => {
      const line = lines.get(key) ?? { last: Promise.resolve(), length: 0 }
      if (line.length >= waitingMax) {
        throw new Failure('unavailable', 'Too many changes of the same thing are waiting.', {
          retryAfterSeconds: 1,
        })
      }
      line.length += 1
      lines.set(key, line)
      const turn = line.last.then(work, work)
      line.last = turn.catch(() => undefined)
      try {
        return await turn
      } finally {
        line.length -= 1
        if (line.length === 0) lines.delete(key)
      }
    },
  }
}
