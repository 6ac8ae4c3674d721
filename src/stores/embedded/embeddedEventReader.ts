/** The reading half of the embedded event store; a thread of projections can have one of its own. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { type EventStore, type Excerpt, mayGoOn, type RecordedEvent } from '../eventStore.ts'
import { unavailable } from './databaseTrouble.ts'
import { dataFolder } from './dataFolder.ts'
import {
  type LogReader,
  openLogReader,
  openRecentStreams,
  type StreamsReader,
} from './logReader.ts'
import { type SharedHead, sharedHead } from './threads.ts'

export type EventReader = Omit<EventStore, 'append' | 'takesAppends'>

export interface EventReaderOptions {
  /** The data folder of an event store that this process has open. */
  readonly folder: string
  /** `headBuffer` of that store. */
  readonly headBuffer: SharedArrayBuffer
}

/**
 * Reads and follows the log of an open store, in any thread of its process. After `close` every call, and every iteration that
 * was following, ends with `unavailable`.
 */
export function openEmbeddedEventReader(options: EventReaderOptions): EventReader {
  const { folder, headBuffer } = options
  const reader = closable(openLogReader(dataFolder(folder).log))
  const head = sharedHead(headBuffer)
  const recent = openRecentStreams({
    read: (after, end) => reader.current().places(after, end),
  })
  return {
    readStream: async (stream, page) => reader.current().readStream(stream, page),
    readNews: async (stream, { known, ...page }) => {
      const current = reader.current()
      const end = head.position()
      if (end <= known) return { events: [], position: known }
      if (recent.isQuiet(stream, known, end)) return { events: [], position: end }
      const events = current.readStream(stream, page)
      const last = mayGoOn(page, events) ? (events.at(-1)?.position ?? known) : end
      return { events, position: last }
    },
    readAll: async (page) => reader.current().readAll(page),
    readTail: async (limit, stream) => reader.current().readTail(limit, stream),
    follow: async function* (after, signal) {
      const until = AbortSignal.any([signal, reader.closed])
      const log = { reader: reader.current(), head }
      yield* followLog(log, after, until)
      if (!signal.aborted) throw closedFailure()
    },
    followStreams: async function* (prefixes, after, signal) {
      const until = AbortSignal.any([signal, reader.closed])
      const log = { read: reader.current().ofStreams(prefixes), head }
      yield* followStreams(log, after, until)
      if (!signal.aborted) throw closedFailure()
    },
    head: async () => head.position(),
    close: async () => reader.close(),
  }
}

interface ClosableReader {
  readonly current: () => LogReader
  readonly closed: AbortSignal
  readonly close: () => void
}

function closable(reader: LogReader): ClosableReader {
  const closing = new AbortController()
  return {
    current: () => {
      if (closing.signal.aborted) throw closedFailure()
      return reader
    },
    closed: closing.signal,
    close: () => {
      if (closing.signal.aborted) return
      closing.abort()
      reader.close()
    },
  }
}

function closedFailure() {
  return unavailable('event log', new Error('the event log is closed'))
}

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
async function* followLog(
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
async function* followStreams(
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
