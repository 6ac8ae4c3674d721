/** Runs the commands on one stream one after another, with a bounded queue per stream. */

import { unavailable } from '../../domain/failure.ts'

/** How many commands may wait for one stream. */
const waitingMax = 1_000

/** Cheaper than deciding again after a conflict; and two equal commands cannot cross. */
export interface StreamQueue {
  /** Runs `work` when every earlier one of the same key has ended. Throws `unavailable` when too many wait. */
  readonly run: <Value>(key: string, work: () => Promise<Value>) => Promise<Value>
}

interface Queue {
  last: Promise<unknown>
  length: number
}

/** Opens the queues of this process. */
export function openStreamQueue(): StreamQueue {
  const queues = new Map<string, Queue>()

  return {
    run: async (key, work) => {
      const queue = queues.get(key) ?? { last: Promise.resolve(), length: 0 }
      if (queue.length >= waitingMax) {
        throw unavailable('Too many changes of the same thing are waiting.')
      }
      queue.length += 1
      queues.set(key, queue)
      const job = queue.last.then(work, work)
      queue.last = job.catch(() => undefined)
      try {
        return await job
      } finally {
        queue.length -= 1
        if (queue.length === 0) queues.delete(key)
      }
    },
  }
}
