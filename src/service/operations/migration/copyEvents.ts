/** Copies a log event by event into a store that has the beginning of it, or nothing. */

import { type LogReader, walkLog } from '../../../stores/embedded/logReader.ts'
import {
  type Append,
  appendBytesMax,
  type EventStore,
  type RecordedEvent,
} from '../../../stores/eventStore.ts'
import type { LongWork } from '../longWork.ts'
import { differenceOf } from './compareStores.ts'

export interface EventCopy {
  readonly source: LogReader
  readonly target: Pick<EventStore, 'append' | 'readAll' | 'readTail'>
  readonly work: LongWork
}

/** Most events of one append. */
const eventsAtOnce = 200

/**
 * Goes on after the last event that the target has. The order is that of the source: an append is made when the
 * one before is known to be written, and made again it is the same, so that it is written once. Throws an `Error` that says what to do
 * when the target has other events.
 */
export async function copyEvents(copy: EventCopy): Promise<void> {
  const { source, work } = copy
  const end = source.head()
  const after = await findResume(copy)
  work.onProgress('Copying events', after, end)
  for await (const batch of walkLog(source, { after, end, signal: work.signal })) {
    for (const events of appendsOf(batch)) {
      work.signal.throwIfAborted()
      await append(copy.target, events)
    }
    work.onProgress('Copying events', batch.at(-1)?.position ?? after, end)
  }
}

/** The position in the source of the last event that the target has; 0 for none. */
async function findResume({ source, target }: EventCopy): Promise<number> {
  const [first] = await target.readAll({ after: 0, limit: 1 })
  const [last] = await target.readTail(1)
  if (!first || !last) return 0
  const [begin] = source.readAll({ after: 0, limit: 1 })
  const [known] = source.readStream(last.stream, { from: last.revision, limit: 1 })
  // what every installation begins with has the same ids everywhere
  const begins = begin && differenceOf(begin, first) === undefined
  if (begins && known && differenceOf(known, last) === undefined) return known.position
  throw new Error(
    'The EventStoreDB holds other events than this log: name one that is empty, or that an earlier vigil migrate of this folder was interrupted on. Nothing was written.',
  )
}

/** Events behind one another in the log that are of one stream go together, as far as the target takes so much at once. */
function* appendsOf(batch: readonly RecordedEvent[]): Generator<Append, void, undefined> {
  let group: RecordedEvent[] = []
  let bytes = 0
  for (const event of batch) {
    const size = Buffer.byteLength(event.data) + Buffer.byteLength(event.metadata)
    const fits =
      group[0]?.stream === event.stream &&
      group.length < eventsAtOnce &&
      bytes + size <= appendBytesMax
    if (!fits && group.length > 0) yield appendOf(group)
    group = fits ? [...group, event] : [event]
    bytes = fits ? bytes + size : size
  }
  if (group.length > 0) yield appendOf(group)
}

function appendOf(events: readonly RecordedEvent[]): Append {
  const { stream = '', revision = 0 } = events[0] ?? {}
  return {
    stream,
    expected: revision === 0 ? 'no_stream' : revision - 1,
    events: events.map(({ id, type, data, metadata }) => ({ id, type, data, metadata })),
  }
}

async function append(target: EventCopy['target'], events: Append): Promise<void> {
  const answer = await target.append(events)
  if (answer.ok) return
  throw new Error(
    `The EventStoreDB has other events in the stream ${events.stream}: somebody else has written to it. Name one that is empty.`,
  )
}
