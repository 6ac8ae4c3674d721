/** Follows the log: what is there, batch by batch, then what comes. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Excerpt, RecordedEvent } from '../eventStore.ts'
import { unavailable } from './databaseTrouble.ts'
import type { LogReader, StreamsReader } from './logReader.ts'
import type { SharedHead } from './sharedHead.ts'

/** Refuses a position that the log has not come to: what it lacks would be passed over. */
function checkStart(head: SharedHead, after: number): void {
  if (after <= head.position()) return
  const where = `the log ends at position ${head.position()}, before ${after}`
  throw unavailable('event log', new Error(`${where}, from where it is to be followed`))
}

/**
 * The events after a position in order, until `signal` is aborted. The position moves on only with a batch handed out, so
 * nothing is left out or handed out twice. Throws what reading throws; the caller may follow again from where it was.
 */
export async function* followLog(
  log: { readonly reader: Pick<LogReader, 'readBatch'>; readonly head: SharedHead },
  after: number,
  signal: AbortSignal,
): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
  if (!signal.aborted) checkStart(log.head, after)
  let position = after
  while (!signal.aborted) {
    if (log.head.position() <= position) {
      await log.head.change(position, signal)
      continue
    }
    const batch = log.reader.readBatch(position)
    const last = batch.at(-1)
    if (!last) throw unavailable('event log', new Error('the log ends before its head'))
    position = last.position
    yield batch
    // Reading and folding are synchronous: between batches others get their turn.
    await nextTurn()
  }
}

/** The same with the events of some streams only, and how far the log has been passed. */
export async function* followStreams(
  log: { readonly read: StreamsReader; readonly head: SharedHead },
  after: number,
  signal: AbortSignal,
): AsyncGenerator<Excerpt, void, undefined> {
  if (!signal.aborted) checkStart(log.head, after)
  let position = after
  while (!signal.aborted) {
    const end = log.head.position()
    if (end <= position) {
      await log.head.change(position, signal)
      continue
    }
    const excerpt = log.read(position, end)
    position = excerpt.position
    yield excerpt
    await nextTurn()
  }
}
