/** Reads and follows the embedded event log beside its writer, and verifies checksums. */

import { setImmediate as turn } from 'node:timers/promises'
import { Failure } from '../../domain/failure.ts'
import { findFileFault } from '../../domain/fileFaults.ts'
import {
  charsOf,
  type EventStore,
  type Excerpt,
  type LogPage,
  mayHaveMore,
  type RecordedEvent,
  type StreamPage,
} from '../eventStore.ts'
import { storeUnavailable } from './databaseErrors.ts'
import { dataFolderAt } from './dataFolder.ts'
import { computeEventChecksum, logVersion, readLogEnd } from './logWriter.ts'
import { type Database, openUsedFile, type SqlValue, type Statement } from './sqlite.ts'
import { openSharedHead, type SharedHead } from './threadCalls.ts'

/** Works at once, in the calling thread; throws `Failure` `unavailable` when the log cannot be read or is damaged. */
export type LogReader = ReturnType<typeof createLogReader>

/** Some events of certain streams after a position, up to the end of the log at most. */
type StreamsReader = (after: number, end: number) => Excerpt

/** Reads the rows that a statement finds. */
type RowsReader = (...values: SqlValue[]) => RecordedEvent[]

/** Most events of one batch. */
export const batchMax = 2_000
/** It ends with the event that brings its texts to this length. */
const batch = { limit: batchMax, chars: 4 * 1024 * 1024 } as const
/**
 * Events read at a time: at first, where few may be wanted, and at the most. More of them would have left the
 * processor's caches before the last of them is checked.
 */
const chunkMin = 4
const chunkMax = 64
/** Positions that a search for some streams goes through at a time. */
const searchedMax = 10_000

const columns = 'position, stream, revision, id, type, data, metadata, checksum'

/** Opens an existing log for reading. Throws an `Error` that names the file when it cannot be used. */
export function openLogReader(file: string): LogReader {
  return createLogReader(openUsedFile(file, logVersion))
}

/** The same of a database that is open. */
export function createLogReader(database: Database) {
  const select = (condition: string): RowsReader => {
    const statement = database.prepare(`SELECT ${columns} FROM events WHERE ${condition} LIMIT ?`)
    statement.setReturnArrays(true)
    return (...values) => read(statement, values)
  }
  const ofStream = select('stream = ? AND revision >= ? ORDER BY revision')
  const ofLog = select('position > ? ORDER BY position')
  const ofTail = select('TRUE ORDER BY position DESC')
  const ofStreamTail = select('stream = ? ORDER BY revision DESC')
  const gatherAfter = (after: number, page: ChunkedPage) =>
    gather(page, (last, limit) => {
      const begin = last?.position ?? after
      const events = ofLog(begin, limit)
      for (const [index, { position }] of events.entries()) {
        const expected = begin + 1 + index
        if (position !== expected) throw damaged(`position ${expected} is missing`)
      }
      return events
    })
  return {
    readStream: (stream: string, { from, ...page }: StreamPage): readonly RecordedEvent[] => {
      const events = gather(page, (last, limit) =>
        ofStream(stream, last ? last.revision + 1 : from, limit),
      )
      for (const [index, { revision }] of events.entries()) {
        if (revision !== from + index) {
          throw damaged(`revision ${from + index} of ${stream} is missing`)
        }
      }
      return events
    },
    readAll: ({ after, limit }: LogPage): readonly RecordedEvent[] => gatherAfter(after, { limit }),
    /** The last events, or those of one stream, in order. */
    readTail: (limit: number, stream?: string): readonly RecordedEvent[] =>
      (stream === undefined ? ofTail(limit) : ofStreamTail(stream, limit)).reverse(),
    /** Some events after a position: at most `batchMax`, and few when they are large. */
    readBatch: (after: number): readonly RecordedEvent[] => gatherAfter(after, batch),
    /** A reader of the streams whose names begin with one of these. */
    ofStreams: (prefixes: readonly string[]): StreamsReader =>
      streamsReader(select(afterPosition(prefixes)), prefixes),
    /** The position of the last event, 0 when there is none. */
    head: (): number => {
      try {
        return readLogEnd(database).position
      } catch (error) {
        throw storeUnavailable('event log', error)
      }
    },
    close: () => database.close(),
  }
}

/**
 * A walk over the rows of the log, which come in its order: nothing of those that are not wanted is read but their
 * names.
 */
function afterPosition(prefixes: readonly string[]): string {
  const begins = prefixes.map(() => 'substr(stream, 1, ?) = ?').join(' OR ')
  return `position > ? AND position <= ? AND (${begins}) ORDER BY position`
}

function streamsReader(rows: RowsReader, prefixes: readonly string[]): StreamsReader {
  const begins = prefixes.flatMap((prefix) => [prefix.length, prefix])
  return (after, end) => {
    const last = Math.min(end, after + searchedMax)
    const events = gather(batch, (before, limit) =>
      rows(before?.position ?? after, last, ...begins, limit),
    )
    const position = mayHaveMore(batch, events) ? (events.at(-1)?.position ?? last) : last
    return { events, position }
  }
}

type ChunkedPage = Pick<StreamPage, 'limit' | 'chars'>

/**
 * Events read chunk by chunk, so that many large ones are not read where a few were wanted; the chunks grow while they
 * are small.
 */
function gather(
  { limit, chars = Number.POSITIVE_INFINITY }: ChunkedPage,
  next: (last: RecordedEvent | undefined, limit: number) => readonly RecordedEvent[],
): RecordedEvent[] {
  const events: RecordedEvent[] = []
  let length = 0
  let wanted = chars === Number.POSITIVE_INFINITY ? chunkMax : chunkMin
  while (events.length < limit && length < chars) {
    const asked = Math.min(wanted, limit - events.length)
    const chunk = next(events.at(-1), asked)
    events.push(...chunk)
    const added = charsOf(chunk)
    length += added
    if (chunk.length < asked) break
    wanted = Math.min(chunkMax, added * 4 < chars ? wanted * 2 : chunkMin)
  }
  return events
}

/** The values of `columns`, in their order. */
type EventRow = readonly [
  position: number,
  stream: string,
  revision: number,
  id: string,
  type: string,
  data: string,
  metadata: string,
  checksum: number,
]

function read(statement: Statement, values: SqlValue[]): RecordedEvent[] {
  try {
    // rows are arrays, whatever the type of the package says
    return (statement.all(...values) as readonly unknown[] as readonly EventRow[]).map(recordedOf)
  } catch (error) {
    if (findFileFault(error) === 'corrupt')
      throw damaged('a page of its file cannot be read', error)
    throw error instanceof Failure ? error : storeUnavailable('event log', error)
  }
}

function recordedOf(row: EventRow): RecordedEvent {
  const [position, stream, revision, id, type, data, metadata, checksum] = row
  const event = { id, type, data, metadata, stream, revision, position }
  if (computeEventChecksum(event) !== checksum) {
    throw damaged(`the event at position ${position} has changed since it was written`)
  }
  return event
}

/** The caller learns that the log is damaged, the operator (through the cause) where. */
function damaged(where: string, error?: unknown): Failure {
  return new Failure('unavailable', 'The event log is damaged; its owner must restore it.', {
    isDamage: true,
    cause: new Error(`the event log is damaged: ${where}; restore it from a backup`, {
      cause: error,
    }),
  })
}

/**
 * The events after a position, up to one that the log has, in order and in bounded batches. Ends with the reason of the
 * signal; throws what the reader throws, also for an event that is damaged or missing.
 */
export async function* readLogRange(
  reader: Pick<LogReader, 'readBatch'>,
  range: { readonly after: number; readonly end: number; readonly signal: AbortSignal },
): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
  const { end, signal } = range
  let { after } = range
  while (after < end) {
    signal.throwIfAborted()
    const events = reader.readBatch(after).filter(({ position }) => position <= end)
    const last = events.at(-1)
    if (!last) return
    yield events
    after = last.position
    // an interruption is heard only between two turns
    await turn()
  }
  signal.throwIfAborted()
}

export type EventReader = Omit<EventStore, 'append' | 'isWritable'>

export interface EventReaderOptions {
  /** The data folder of an event store that this process has open. */
  readonly folder: string
  /** `headBuffer` of that store. */
  readonly headBuffer: SharedArrayBuffer
}

/**
 * Reads and follows the log of an open store, in any thread of its process. After `close` every call, and every
 * iteration that was following, ends with `unavailable`.
 */
export function openEmbeddedEventReader({ folder, headBuffer }: EventReaderOptions): EventReader {
  const reader = openLogReader(dataFolderAt(folder).log)
  const head = openSharedHead(headBuffer)
  const closing = new AbortController()
  const current = (): LogReader => {
    if (closing.signal.aborted) throw closedFailure()
    return reader
  }
  async function* excerpts(read: StreamsReader, after: number, signal: AbortSignal) {
    yield* followLog(read, head, { after, signal: AbortSignal.any([signal, closing.signal]) })
    if (!signal.aborted) throw closedFailure()
  }
  return {
    readStream: async (stream, page) => current().readStream(stream, page),
    readNewEvents: async (stream, { known, ...page }) => {
      const end = head.position()
      if (end <= known) return { events: [], position: known }
      const events = current().readStream(stream, page)
      const last = mayHaveMore(page, events) ? (events.at(-1)?.position ?? known) : end
      return { events, position: last }
    },
    readAll: async (page) => current().readAll(page),
    readTail: async (limit, stream) => current().readTail(limit, stream),
    follow: async function* (after, signal) {
      const { readBatch } = current()
      for await (const { events } of excerpts(wholeLog(readBatch), after, signal)) yield events
    },
    followStreams: async function* (prefixes, after, signal) {
      yield* excerpts(current().ofStreams(prefixes), after, signal)
    },
    head: async () => head.position(),
    close: async () => {
      if (closing.signal.aborted) return
      closing.abort()
      reader.close()
    },
  }
}

function closedFailure(): Failure {
  return storeUnavailable('event log', new Error('the event log is closed'))
}

function wholeLog(readBatch: LogReader['readBatch']): StreamsReader {
  return (after) => {
    const events = readBatch(after)
    const last = events.at(-1)
    if (!last) throw storeUnavailable('event log', new Error('the log ends before its head'))
    return { events, position: last.position }
  }
}

/**
 * The events after a position in order, until `signal` is aborted. The position moves on only with an excerpt handed
 * out, so nothing is left out or handed out twice. Throws what reading throws; the caller may follow again from where
 * it was.
 */
async function* followLog(
  read: StreamsReader,
  head: SharedHead,
  { after, signal }: { readonly after: number; readonly signal: AbortSignal },
): AsyncGenerator<Excerpt, void, undefined> {
  if (!signal.aborted && after > head.position()) {
    const where = `the log ends at position ${head.position()}, before ${after}`
    throw storeUnavailable('event log', new Error(`${where}, from where it is to be followed`))
  }
  let position = after
  while (!signal.aborted) {
    const end = head.position()
    if (end <= position) {
      await head.waitForChange(position, signal)
      continue
    }
    const excerpt = read(position, end)
    position = excerpt.position
    yield excerpt
    // Reading and folding are synchronous: between batches others get their turn.
    await turn()
  }
}
