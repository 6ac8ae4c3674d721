/** Implements reading and following of the event store port on EventStoreDB. */

import { type EventStore, mayHaveMore, type RecordedEvent, type StreamPage } from '../eventStore.ts'
import { type Following, followLog } from './followLog.ts'
import { closedLog, damagedLog } from './protocolErrors.ts'
import {
  isOfSystem,
  type LoggedEvent,
  type LogPosition,
  logPositionAt,
  logRequest,
  streamRequest,
} from './protocolMessages.ts'
import type { PageReader } from './readPage.ts'

type EventReads = Omit<EventStore, 'append' | 'isWritable' | 'close'>

/** The read side of the store. */
export function eventStoreDbReader(following: Following): EventReads {
  const { end, closed } = following
  const open = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    if (closed.aborted) throw closedLog()
    return work()
  }
  const ofStream = (stream: string, page: StreamPage) => readStream(following.reader, stream, page)
  return {
    readStream: (stream, page) => open(() => ofStream(stream, page)),
    readNewEvents: (stream, { known, ...page }) =>
      open(async () => {
        // the leader has every acknowledged event: one that it does not return now was not written before
        const before = end.known()
        const events = await ofStream(stream, page)
        const last = events.at(-1)?.position ?? 0
        return { events, position: Math.max(known, last, mayHaveMore(page, events) ? 0 : before) }
      }),
    readAll: (page) => open(() => readLog(following.reader, page)),
    readTail: (limit, stream) =>
      open(() =>
        stream === undefined
          ? readTail(following.reader, limit)
          : readStreamTail(following.reader, stream, limit),
      ),
    follow: (after, signal) => followLog(following, after, signal),
    followStreams: async function* (prefixes, after, signal) {
      for await (const events of followLog(following, after, signal)) {
        const wanted = events.filter(({ stream }) =>
          prefixes.some((prefix) => stream.startsWith(prefix)),
        )
        yield { events: wanted, position: events.at(-1)?.position ?? after }
      }
    },
    head: () => open(end.find),
  }
}

async function readStream(
  reader: PageReader,
  stream: string,
  page: StreamPage,
): Promise<readonly RecordedEvent[]> {
  const logged = await reader(streamRequest(stream, page), page.chars)
  for (const [index, { event }] of logged.entries()) {
    if (event.revision !== page.from + index) {
      throw damagedLog(`revision ${page.from + index} of ${stream} is missing`)
    }
  }
  return logged.map(({ event }) => event)
}

async function readStreamTail(
  reader: PageReader,
  stream: string,
  limit: number,
): Promise<readonly RecordedEvent[]> {
  const logged = await reader(streamRequest(stream, { from: 'end', limit }))
  return logged.map(({ event }) => event).reverse()
}

interface LogPage {
  readonly after: number
  readonly limit: number
}

/** Skips the server's own events: reads on until there are enough of the others, or no more at all. */
async function readLog(
  reader: PageReader,
  { after, limit }: LogPage,
): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = []
  let last: LoggedEvent | undefined
  for (;;) {
    const from = last?.logPosition ?? (after > 0 ? logPositionAt(after) : 'start')
    // the event at the position comes along
    const count = limit - events.length + (from === 'start' ? 0 : 1)
    const logged = await reader(logRequest({ from, direction: 'forwards', limit: count }))
    const known = last?.event.position ?? after
    const later = logged.filter(({ event }) => event.position > known)
    events.push(...later.filter((one) => !isOfSystem(one)).map(({ event }) => event))
    if (events.length >= limit || later.length === 0) return events
    last = later.at(-1)
  }
}

/** Reads backwards until there are enough events that are not the server's own. */
async function readTail(reader: PageReader, limit: number): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = []
  let from: LogPosition | 'end' = 'end'
  while (events.length < limit) {
    const count = limit - events.length
    const logged = await reader(logRequest({ from, direction: 'backwards', limit: count }))
    events.push(...logged.filter((one) => !isOfSystem(one)).map(({ event }) => event))
    if (logged.length < count) break
    from = logged.at(-1)?.logPosition ?? 'end'
  }
  return events.toReversed()
}
