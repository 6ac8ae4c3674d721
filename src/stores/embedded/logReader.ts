/** Reads the event log through a connection of its own, which waits for no writer; every event is checked as it is read. */

import { setImmediate as turn } from 'node:timers/promises'
import { Failure } from '../../domain/failure.ts'
import {
  charsOf,
  type Excerpt,
  mayGoOn,
  type RecordedEvent,
  type StreamPage,
} from '../eventStore.ts'
import { troubleOf, unavailable } from './databaseTrouble.ts'
import { endOf, eventChecksum, readLostPositions } from './logRows.ts'
import { openDatabase, type SqlValue, type Statement } from './sqlite.ts'

interface LogPage {
  readonly after: number
  readonly limit: number
}

/** Some events of certain streams after a position, up to the end of the log at most. */
export type StreamsReader = (after: number, end: number) => Excerpt

/** All of it works at once, in the calling thread, and throws `Failure` `unavailable` when the log cannot be read or is damaged. */
export interface LogReader {
  readonly readStream: (stream: string, page: StreamPage) => readonly RecordedEvent[]
  readonly readAll: (page: LogPage) => readonly RecordedEvent[]
  /** The last events, or those of one stream, in order. */
  readonly readTail: (limit: number, stream?: string) => readonly RecordedEvent[]
  /** Some events after a position: at most `batchMax`, and few when they are large. */
  readonly readBatch: (after: number) => readonly RecordedEvent[]
  /** The places of the events after a position and up to another one, in order. */
  readonly places: (after: number, end: number) => readonly EventPlace[]
  /** A reader of the streams whose names begin with one of these. */
  readonly ofStreams: (prefixes: readonly string[]) => StreamsReader
  /** The position of the last event, 0 when there is none. */
  readonly head: () => number
  readonly close: () => void
}

/** Most events of one batch. */
export const batchMax = 500
/** A batch ends with the event that brings its texts to this length. */
const batchLengthMax = 1024 * 1024
/**
 * Events read at a time: at first, where few may be wanted, and at the most. More of them would have left the processor's caches before
 * the last of them is checked.
 */
const chunkMin = 4
const chunkMax = 64
/** Positions that a search for some streams goes through at a time. */
const searchedMax = 10_000

const columns = 'position, stream, revision, id, type, data, metadata, checksum'

/** Opens an existing log for reading. Throws an `Error` that names the file when it cannot be used. */
export function openLogReader(file: string): LogReader {
  const database = openDatabase({ file, synchronous: 'FULL', readOnly: true })
  const select = (condition: string) => {
    const statement = database.prepare(`SELECT ${columns} FROM events WHERE ${condition} LIMIT ?`)
    statement.setReturnArrays(true)
    return statement
  }
  const ofPlaces = database.prepare(
    'SELECT position, stream FROM events WHERE position > ? AND position <= ? ORDER BY position',
  )
  ofPlaces.setReturnArrays(true)
  const ofStream = select('stream = ? AND revision >= ? ORDER BY revision')
  const ofLog = select('position > ? ORDER BY position')
  const ofTail = select('TRUE ORDER BY position DESC')
  const ofStreamTail = select('stream = ? ORDER BY revision DESC')
  const lost = readLostPositions(database)
  const readOn = (after: number, limit: number) => {
    const events = read(ofLog, [after, limit])
    let expected = lost.next(after)
    for (const { position } of events) {
      if (position !== expected) throw damaged(`position ${expected} is missing`)
      expected = lost.next(position)
    }
    return events
  }
  return {
    readStream: (stream, { from, ...page }) => {
      const events = gather(page, (last, limit) =>
        read(ofStream, [stream, last ? last.revision + 1 : from, limit]),
      )
      for (const [index, { revision }] of events.entries()) {
        if (revision !== from + index) {
          throw damaged(`revision ${from + index} of ${stream} is missing`)
        }
      }
      return events
    },
    readAll: ({ after, limit }) =>
      gather({ limit }, (last, asked) => readOn(last?.position ?? after, asked)),
    readTail: (limit, stream) => {
      const events =
        stream === undefined ? read(ofTail, [limit]) : read(ofStreamTail, [stream, limit])
      return events.reverse()
    },
    readBatch: (after) =>
      gather({ limit: batchMax, chars: batchLengthMax }, (last, limit) =>
        readOn(last?.position ?? after, limit),
      ),
    places: (after, end) => rowsOf(ofPlaces, [after, end]) as unknown as readonly EventPlace[],
    ofStreams: (prefixes) => streamsReader(select(afterPosition(prefixes)), prefixes),
    head: () => {
      try {
        return endOf(database).position
      } catch (error) {
        throw unavailable('event log', error)
      }
    },
    close: () => database.close(),
  }
}

/** A walk over the rows of the log, which come in its order: nothing of those that are not wanted is read but their names. */
function afterPosition(prefixes: readonly string[]): string {
  const begins = prefixes.map(() => 'substr(stream, 1, ?) = ?').join(' OR ')
  return `position > ? AND position <= ? AND (${begins}) ORDER BY position`
}

function streamsReader(statement: Statement, prefixes: readonly string[]): StreamsReader {
  const begins = prefixes.flatMap((prefix) => [prefix.length, prefix])
  return (after, end) => {
    const last = Math.min(end, after + searchedMax)
    const page = { limit: batchMax, chars: batchLengthMax }
    const events = gather(page, (before, limit) =>
      read(statement, [before?.position ?? after, last, ...begins, limit]),
    )
    return { events, position: mayGoOn(page, events) ? (events.at(-1)?.position ?? last) : last }
  }
}

/** Events read chunk by chunk, so that many large ones are not read where a few were wanted; the chunks grow while they are small. */
function gather(
  { limit, chars = Number.POSITIVE_INFINITY }: Pick<StreamPage, 'limit' | 'chars'>,
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

function read(statement: Statement, values: SqlValue[]): RecordedEvent[] {
  return rowsOf(statement, values).map((row) => recordedOf(row as unknown as EventRow))
}

/** The values of each row, in the order in which they are selected. */
function rowsOf(statement: Statement, values: SqlValue[]): readonly (readonly SqlValue[])[] {
  try {
    // rows are arrays, whatever the type of the package says
    return statement.all(...values) as readonly unknown[] as readonly (readonly SqlValue[])[]
  } catch (error) {
    throw troubleOf(error) === 'corrupt'
      ? damaged('SQLite cannot read it', error)
      : unavailable('event log', error)
  }
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

function recordedOf(row: EventRow): RecordedEvent {
  const [position, stream, revision, id, type, data, metadata, checksum] = row
  const event = { id, type, data, metadata, stream, revision, position }
  if (eventChecksum(event) !== checksum) {
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

/** Position and stream of an event. */
export type EventPlace = readonly [position: number, stream: string]

export interface RecentStreams {
  /** Whether nothing has come to the stream after position `known` and up to `end`, the end of the log; false where that is not known. */
  readonly isQuiet: (stream: string, known: number, end: number) => boolean
}

/** The last events of streams within a stretch of the log, which begins after position `from`. */
interface Stretch {
  readonly from: number
  readonly last: Map<string, number>
}

interface RecentStreamsOptions {
  /** The places of the events after a position and up to another one, in the order of the log. */
  readonly read: (after: number, end: number) => readonly EventPlace[]
  /** Streams of a stretch. Two are known: the newer one grows. */
  readonly stretchMax?: number
  /** Positions that are looked at for one question: with more of them the stream is asked itself. */
  readonly stepMax?: number
}

/** Knows nothing at first. */
export function openRecentStreams(options: RecentStreamsOptions): RecentStreams {
  const { read, stretchMax = 4_096, stepMax = 128 } = options
  let older: Stretch = { from: 0, last: new Map() }
  let newer = older
  let to = 0

  const forget = (end: number): void => {
    newer = { from: end, last: new Map() }
    older = newer
  }
  const goOn = (end: number): void => {
    if (end - to > stepMax) forget(end)
    else {
      for (const [position, stream] of read(to, end)) newer.last.set(stream, position)
    }
    to = end
    if (newer.last.size < stretchMax) return
    older = newer
    newer = { from: end, last: new Map() }
  }

  return {
    isQuiet: (stream, known, end) => {
      if (end > to) goOn(end)
      if (known < older.from) return false
      return (newer.last.get(stream) ?? older.last.get(stream) ?? 0) <= known
    },
  }
}

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
