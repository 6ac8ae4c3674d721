/** Implements reading and following of the event store port on EventStoreDB. */

import { type EventStore, mayHaveMore, type RecordedEvent, type StreamPage } from '../eventStore.ts'
import { type FollowContext, followLog } from './followLog.ts'
import { closedLog, damagedLog } from './protocolErrors.ts'
import { buildReadLogRequest, buildReadStreamRequest, isSystemEvent } from './protocolMessages.ts'
import type { PageReader } from './readLogPages.ts'

type EventReads = Omit<EventStore, 'append' | 'isWritable' | 'close'>

/** The read side of the store. */
export function openEventStoreDbReader(following: FollowContext): EventReads {
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
          : following
              .reader(buildReadStreamRequest(stream, { from: 'end', limit }))
              .then((events) => events.toReversed()),
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
  const events = await reader(buildReadStreamRequest(stream, page), page.chars)
  for (const [index, { revision }] of events.entries()) {
    if (revision !== page.from + index) {
      throw damagedLog(`revision ${page.from + index} of ${stream} is missing`)
    }
  }
  return events
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
  let last = after
  for (;;) {
    const from = last > 0 ? last : 'start'
    // the event at the position comes along
    const count = limit - events.length + (from === 'start' ? 0 : 1)
    const page = await reader(buildReadLogRequest({ from, direction: 'forwards', limit: count }))
    const later = page.filter(({ position }) => position > last)
    events.push(...later.filter((one) => !isSystemEvent(one)))
    const end = later.at(-1)
    if (events.length >= limit || !end) return events
    last = end.position
  }
}

/** Reads backwards until there are enough events that are not the server's own. */
async function readTail(reader: PageReader, limit: number): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = []
  let from: number | 'end' = 'end'
  while (events.length < limit) {
    const count = limit - events.length
    const page: readonly RecordedEvent[] = await reader(
      buildReadLogRequest({ from, direction: 'backwards', limit: count }),
    )
    events.push(...page.filter((one) => !isSystemEvent(one)))
    if (page.length < count) break
    from = page.at(-1)?.position ?? 'end'
  }
  return events.toReversed()
}
