/** Bounds the appends and bytes in flight to EventStoreDB, kept in memory, or throws `unavailable`. */

import type { Failure } from '../../../domain/failure.ts'
import type { CommitStatistics } from '../../commitStatistics.ts'
import type { Append } from '../../eventStore.ts'
import { closedLog, unreachable } from '../protocolErrors.ts'

export interface AppendLimits {
  /** Does it, if there is room; throws `unavailable` if there is none, or none any more. */
  readonly within: <Answer>(append: Append, work: () => Promise<Answer>) => Promise<Answer>
  /** From now on there is no room. */
  readonly close: () => void
}

interface RoomLimits {
  readonly appendsMax: number
  readonly bytesMax: number
}

const roomLimits: RoomLimits = Object.freeze({
  appendsMax: 10_000,
  bytesMax: 64 * 1024 * 1024,
})

export function appendLimits(
  onDone: (statistics: CommitStatistics) => void,
  { appendsMax, bytesMax }: RoomLimits = roomLimits,
): AppendLimits {
  let appends = 0
  let bytes = 0
  let closed = false
  const refusal = (length: number): Failure | undefined => {
    if (closed) return closedLog()
    const full = appends >= appendsMax || (appends > 0 && bytes + length > bytesMax)
    return full ? unreachable(new Error('too many appends are waiting')) : undefined
  }
  return {
    within: async (append, work) => {
      const length = lengthOf(append)
      const refused = refusal(length)
      if (refused) throw refused
      appends += 1
      bytes += length
      const begunMs = performance.now()
      try {
        const answer = await work()
        const durationMs = performance.now() - begunMs
        onDone({ appends: 1, events: append.events.length, bytes: length, durationMs })
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

function lengthOf({ events }: Append): number {
  return events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0)
}
