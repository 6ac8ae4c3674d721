/**
 * Whether every event of a log is found by its stream. The index has no checksum: an entry that a disk has changed hides an event from
 * whoever asks for its stream, and nothing else would say so.
 */

import { Failure } from '../../domain/failure.ts'
import { fileRefusal, isDamage } from './databaseTrouble.ts'
import { endOf } from './insertRows.ts'
import { openLogReader } from './logReader.ts'
import { type LostPositions, readLostPositions } from './lostPositions.ts'
import { type ScrubOptions, scrubInPieces } from './scrubInPieces.ts'
import { type Database, openDatabase } from './sqlite.ts'

/** What was found first, if anything. */
export type LogScrubbed =
  | { readonly kind: 'whole' }
  /** The event is whole, and is not found by its stream: the index can be made anew. */
  | { readonly kind: 'index'; readonly message: string }
  /** An event is damaged or missing. */
  | { readonly kind: 'event'; readonly message: string }
  /** It could not be found out, or `signal` was aborted before. */
  | { readonly kind: 'unknown'; readonly message?: string }

/** Positions looked at in one read, which takes some milliseconds. */
const pieceMax = 1_000

/** Looks at the log as it is when it begins, a piece at a time, beside whoever writes it. Never rejects. */
export async function scrubLog(options: ScrubOptions): Promise<LogScrubbed> {
  try {
    return await walk(options)
  } catch (error) {
    const { cause = error } = error instanceof Failure ? error : {}
    const message = cause instanceof Error ? cause.message : String(cause)
    const isEvent = isDamage(error) || (error instanceof Failure && error.isDamage)
    return { kind: isEvent ? 'event' : 'unknown', message }
  }
}

async function walk(options: ScrubOptions): Promise<LogScrubbed> {
  const { file, signal } = options
  const database = openDatabase({ file, synchronous: 'FULL', readOnly: true })
  try {
    const odd = await scrubInPieces(piecesOf(database), options)
    if (odd !== undefined) return whatIsWrong(file, odd)
    return { kind: signal.aborted ? 'unknown' : 'whole' }
  } finally {
    database.close()
  }
}

function* piecesOf(database: Database): Generator<() => number | undefined> {
  const look = openLook(database)
  const end = endOf(database).position
  for (let after = 0; after < end; after += pieceMax) {
    yield () => look(after, Math.min(end, after + pieceMax))
  }
}

/** Answers the position before the first of these that is missing or is not found by its stream. */
function openLook(database: Database): (after: number, end: number) => number | undefined {
  const lost = readLostPositions(database)
  const count = database.prepare(
    'SELECT count(*) AS count FROM events NOT INDEXED WHERE position > ? AND position <= ?',
  )
  const hidden = database.prepare(
    `SELECT position FROM events AS event NOT INDEXED
     WHERE position > ? AND position <= ? AND NOT EXISTS (
       SELECT 1 FROM events AS entry INDEXED BY events_of_stream
       WHERE entry.stream = event.stream AND entry.revision = event.revision AND entry.position = event.position)
     ORDER BY position LIMIT 1`,
  )
  return (after, end) => {
    const { count: found } = count.get(after, end) ?? {}
    if (found !== expected(lost, after, end)) return after
    const { position } = hidden.get(after, end) ?? {}
    return position === undefined ? undefined : Number(position) - 1
  }
}

/** How many of the positions have an event. */
function expected(lost: LostPositions, after: number, end: number): number {
  let count = 0
  for (let position = lost.next(after); position <= end; position = lost.next(position)) count += 1
  return count
}

/** The event itself comes first: of one that was changed no index can be made. Throws `Failure` when it is damaged or missing. */
function whatIsWrong(file: string, after: number): LogScrubbed {
  const reader = openLogReader(file)
  try {
    const [event] = reader.readAll({ after, limit: pieceMax })
    const what = `its index is wrong at position ${event?.position ?? after + 1}`
    const { message } = fileRefusal(
      file,
      `${what}: an event is not found by its stream; restart Vigil, which makes the index anew`,
    )
    return { kind: 'index', message }
  } finally {
    reader.close()
  }
}
