/** Detects that EventStoreDB's clock is ahead of this one, so that it refuses appends as too late. */

import { toldDeadlineMs } from './messages.ts'

export interface ClockSkew {
  /** To be told when the server has written an event, by its clock, in milliseconds since 1970. */
  readonly hear: (createdMs: number) => void
}

/** From here on it is worth a word: at a minute nothing is taken any more. */
const worthMs = toldDeadlineMs / 12
/** It is said at most so often. */
const everyMs = 3_600_000

/** `onAhead` is told by how many milliseconds; whether the clock is behind cannot be seen, and does no harm. */
export function clockSkew(
  onAhead: (ms: number) => void,
  nowMs: () => number = Date.now,
): ClockSkew {
  let saidMs = Number.NEGATIVE_INFINITY
  return {
    hear: (createdMs) => {
      const now = nowMs()
      if (createdMs - now < worthMs || now - saidMs < everyMs) return
      saidMs = now
      onAhead(createdMs - now)
    },
  }
}
