/** Goes through a log that others may be writing, a piece at a time: each piece is a short read, which is in nobody's way. */

import { setImmediate as turn } from 'node:timers/promises'
import type { RecordedEvent } from '../eventStore.ts'
import type { LogReader } from './logReader.ts'

export interface Walk {
  /** The position before the first event; the beginning unless given. */
  readonly after?: number
  /** The position of the last event. */
  readonly end: number
  /** Ends the walk with its reason. */
  readonly signal: AbortSignal
}

/** The events up to the end, in order and in bounded batches. Throws what the reader throws, also for an event that is damaged or missing. */
export async function* walkLog(
  reader: Pick<LogReader, 'readBatch'>,
  { after: begin = 0, end, signal }: Walk,
): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
  let after = begin
  while (after < end) {
    signal.throwIfAborted()
    const batch = reader.readBatch(after).filter(({ position }) => position <= end)
    const last = batch.at(-1)
    if (!last) return
    yield batch
    after = last.position
    // an interruption is heard only between two turns
    await turn()
  }
  signal.throwIfAborted()
}
