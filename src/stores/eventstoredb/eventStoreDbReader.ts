/** Implements reading and following of the event store port on EventStoreDB. */

import {
  type EventStore,
  type LogPage,
  mayHaveMore,
  type RecordedEvent,
  type StreamPage,
} from '../eventStore.ts'
import { logClosedFailure, logDamagedFailure } from './eventStoreDbErrors.ts'
import { type FollowContext, followLog } from './followLog.ts'
import type { LogConnection } from './logConnection.ts'
import { buildReadLogRequest, buildReadStreamRequest, isSystemEvent } from './protocolMessages.ts'

/** The read side of the store. */
export function openEventStoreDbReader(
  context: FollowContext,
): Omit<EventStore, 'append' | 'isWritable' | 'close'> {
  const { log, closed } = context
  const { readPage, end } = log
  const open =
    <Args extends readonly unknown[], Value>(work: (...args: Args) => Promise<Value>) =>
    async (...args: Args): Promise<Value> => {
      if (closed.aborted) throw logClosedFailure()
      return work(...args)
    }
  return {
    readStream: open((stream, page) => readStream(log, stream, page)),
    readNewEvents: open(async (stream, { known, ...page }) => {
      // the leader has every acknowledged event: one that it does not return now was not written before
      const before = end.known()
      const events = await readStream(log, stream, page)
      const last = events.at(-1)?.position ?? 0
      return { events, position: Math.max(known, last, mayHaveMore(page, events) ? 0 : before) }
    }),
    readAll: open((page) => readLog(log, page)),
    readTail: open(async (limit, stream) => {
      if (stream === undefined) return readTail(log, limit)
      return (await readPage(buildReadStreamRequest(stream, { from: 'end', limit }))).toReversed()
    }),
    follow: (after, signal) => followLog(context, after, signal),
    followStreams: async function* (prefixes, after, signal) {
      for await (const events of followLog(context, after, signal)) {
        const wanted = events.filter(({ stream }) =>
          prefixes.some((prefix) => stream.startsWith(prefix)),
        )
        yield { events: wanted, position: events.at(-1)?.position ?? after }
      }
    },
    head: open(end.find),
  }
}

async function readStream({ readPage }: LogConnection, stream: string, page: StreamPage) {
  const events = await readPage(buildReadStreamRequest(stream, page), page.chars)
  for (const [index, { revision }] of events.entries()) {
    if (revision !== page.from + index) {
      throw logDamagedFailure(`revision ${page.from + index} of ${stream} is missing`)
    }
  }
  return events
}

/** Skips the server's own events: reads on until there are enough of the others, or no more at all. */
async function readLog({ readPage }: LogConnection, { after, limit }: LogPage) {
  const events: RecordedEvent[] = []
  let last = after
  for (;;) {
    const from = last > 0 ? last : 'start'
    // the event at the position comes along
    const count = limit - events.length + (from === 'start' ? 0 : 1)
    const page = await readPage(buildReadLogRequest({ from, direction: 'forwards', limit: count }))
    const later = page.filter(({ position }) => position > last)
    events.push(...later.filter((one) => !isSystemEvent(one)))
    const end = later.at(-1)
    if (events.length >= limit || !end) return events
    last = end.position
  }
}

/** Reads backwards until there are enough events that are not the server's own. */
async function readTail({ readPage }: LogConnection, limit: number) {
  const events: RecordedEvent[] = []
  let from: number | 'end' = 'end'
  while (events.length < limit) {
    const count = limit - events.length
    const page: readonly RecordedEvent[] = await readPage(
      buildReadLogRequest({ from, direction: 'backwards', limit: count }),
    )
    events.push(...page.filter((one) => !isSystemEvent(one)))
    if (page.length < count) break
    from = page.at(-1)?.position ?? 'end'
  }
  return events.toReversed()
}
