/** Bounds the appends and bytes in flight to EventStoreDB, which are kept in memory. */

import { type Append, type CommitStatistics, charsOf } from '../eventStore.ts'
import { closedLog, unreachable } from './protocolErrors.ts'

export interface AppendLimits {
  /** Runs the work, or throws `unavailable` when too much is in flight, or it is closed. */
  readonly within: <Answer>(append: Append, work: () => Promise<Answer>) => Promise<Answer>
  /** Refuses all work from now on. */
  readonly close: () => void
}

const usualLimits = { appendsMax: 10_000, bytesMax: 64 * 1024 * 1024 }

/** `onDone` is called after each append that was answered. */
export function appendLimits(
  onDone: (statistics: CommitStatistics) => void,
  { appendsMax, bytesMax } = usualLimits,
): AppendLimits {
  let appends = 0
  let bytes = 0
  let closed = false
  return {
    within: async ({ events }, work) => {
      const length = charsOf(events)
      if (closed) throw closedLog()
      if (appends >= appendsMax || (appends > 0 && bytes + length > bytesMax)) {
        throw unreachable(new Error('too many appends are waiting'))
      }
      appends += 1
      bytes += length
      const begunMs = performance.now()
      try {
        const answer = await work()
        const durationMs = performance.now() - begunMs
        onDone({ appends: 1, events: events.length, bytes: length, durationMs })
        return answer
      } finally {
        appends -= 1
        bytes -= length
      }
    },
    close: () => {
      closed = true
    },
  }
}
