/** Opens the event store on EventStoreDB, reads its log, and checks it for the witnessed events. */

import {
  type CommitStatistics,
  type EventStore,
  type LogPage,
  type LogWitness,
  mayHaveMore,
  type RecordedEvent,
  type StreamPage,
} from '../eventStore.ts'
import { awaitEventStoreDb } from './awaitEventStoreDb.ts'
import { isDamagedLog, logDamagedFailure } from './eventStoreDbErrors.ts'
import { type FollowContext, followLog } from './followLog.ts'
import {
  type LogConnection,
  type LogConnectionOptions,
  openLogConnection,
} from './logConnection.ts'
import { buildReadLogRequest, buildReadStreamRequest } from './protocolMessages.ts'
import { openAppender } from './retryAppends.ts'

export interface EventStoreDbOptions extends LogConnectionOptions {
  readonly onCommit?: (statistics: CommitStatistics) => void
  /** Called with why the log accepts no more appends, and with undefined when it does again. */
  readonly onHealthChange?: (reason: string | undefined) => void
  /** Called once with what a start waits for when the server is not there at once. */
  readonly onWaiting?: (what: string) => void
  /** Called with why a subscription has ended; it is resumed by itself. */
  readonly onDrop?: (reason: unknown) => void
}

export interface EventStoreDb extends EventStore {
  /** Whether the log has the event. Rejects with `unavailable`. */
  readonly hasEvent: (witness: LogWitness) => Promise<boolean>
}

/**
 * Opens the store once the server answers. Rejects with an `Error` for the operator when it does not in time, denies
 * access, is older than 22.6, or its log lacks events of its witnesses. There may be one such store in a thread.
 */
export async function openEventStoreDb(
  options: EventStoreDbOptions,
  witnesses: readonly LogWitness[] = [],
): Promise<EventStoreDb> {
  const log = openLogConnection(options)
  try {
    await awaitEventStoreDb(log, options.onWaiting)
    for (const witness of witnesses) await refuseWithout(log, witness)
  } catch (error) {
    await log.close()
    throw error
  }
  return openStore(log, options)
}

/** The store on a server that was already met; no request is made before the first use. */
export function joinEventStoreDb(options: EventStoreDbOptions): EventStoreDb {
  return openStore(openLogConnection(options), options)
}

function openStore(log: LogConnection, options: EventStoreDbOptions): EventStoreDb {
  const closing = new AbortController()
  const { close, ...appends } = openAppender(log, options)
  const closeAll = async (): Promise<void> => {
    // appends in flight are answered before their connection ends
    await close()
    closing.abort()
    await log.close()
  }
  let closed: Promise<void> | undefined
  return {
    ...openReads({ log, onDrop: options.onDrop, closed: closing.signal }),
    ...appends,
    hasEvent: (witness) => hasEvent(log, witness),
    close: () => {
      closed ??= closeAll()
      return closed
    },
  }
}

/** The read side of the store; a closed connection refuses every read. */
function openReads(context: FollowContext): Omit<EventStore, 'append' | 'isWritable' | 'close'> {
  const { log } = context
  const { readPage, end } = log
  return {
    readStream: (stream, page) => readStream(log, stream, page),
    readNewEvents: async (stream, { known, ...page }) => {
      // the leader has every acknowledged event: one that it does not return now was not written before
      const before = end.known()
      const events = await readStream(log, stream, page)
      const last = events.at(-1)?.position ?? 0
      return { events, position: Math.max(known, last, mayHaveMore(page, events) ? 0 : before) }
    },
    readAll: (page) => readLog(log, page),
    readTail: async (limit, stream) => {
      if (stream === undefined) return readTail(log, limit)
      return (await readPage(buildReadStreamRequest(stream, { from: 'end', limit }))).toReversed()
    },
    follow: (after, signal) => followLog(context, after, signal),
    followStreams: async function* (prefixes, after, signal) {
      for await (const events of followLog(context, after, signal)) {
        const wanted = events.filter(({ stream }) =>
          prefixes.some((prefix) => stream.startsWith(prefix)),
        )
        yield { events: wanted, position: events.at(-1)?.position ?? after }
      }
    },
    head: end.find,
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

/** Skips foreign events: reads on until there are enough of the others, or no more at all. */
async function readLog({ readPage, isForeign }: LogConnection, { after, limit }: LogPage) {
  const events: RecordedEvent[] = []
  let last = after
  for (;;) {
    const from = last > 0 ? last : 'start'
    // the event at the position comes along
    const count = limit - events.length + (from === 'start' ? 0 : 1)
    const page = await readPage(buildReadLogRequest({ from, direction: 'forwards', limit: count }))
    const later = page.filter(({ position }) => position > last)
    events.push(...later.filter((one) => !isForeign(one)))
    const end = later.at(-1)
    if (events.length >= limit || !end) return events
    last = end.position
  }
}

/** Reads backwards until there are enough events that are not foreign. */
async function readTail({ readPage, isForeign }: LogConnection, limit: number) {
  const events: RecordedEvent[] = []
  let from: number | 'end' = 'end'
  while (events.length < limit) {
    const count = limit - events.length
    const page: readonly RecordedEvent[] = await readPage(
      buildReadLogRequest({ from, direction: 'backwards', limit: count }),
    )
    events.push(...page.filter((one) => !isForeign(one)))
    if (page.length < count) break
    from = page.at(-1)?.position ?? 'end'
  }
  return events.toReversed()
}

/** Rejects with an `Error` for the operator when the log lacks a witness: it is an older copy, or another log. */
async function refuseWithout(log: LogConnection, witness: LogWitness): Promise<void> {
  if (await hasEvent(log, witness)) return
  const { by, position } = witness
  throw new Error(
    `Cannot use the log that EVENTSTORE_URL leads to: ${by} remembers an event at position ${position} that it does not have; it ends at ${await log.end.find()}. Nothing was changed. Restore the log that this data folder belongs to, or name another folder with VIGIL_DATA; to go on without what is missing: vigil restore --accept-loss.`,
  )
}

async function hasEvent({ eventAt }: LogConnection, { position, id }: LogWitness) {
  try {
    return (await eventAt(position))?.id === id
  } catch (error) {
    if (isDamagedLog(error)) return false
    throw error
  }
}
