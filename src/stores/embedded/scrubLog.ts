/**
 * Whether every event of a log is found by its stream. The index has no checksum: an entry that a disk has changed hides an event from
 * whoever asks for its stream, and nothing else would say so.
 */

import { Failure } from '../../domain/failure.ts'
import { fileRefusal, isDamage } from './databaseTrouble.ts'
import { endOf } from './insertRows.ts'
import { indexLook } from './logIndex.ts'
import { type LogReader, openLogReader } from './logReader.ts'
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

/** Looks at the log as it is when it begins, a piece at a time, beside whoever writes it. A wrong index comes before damaged events. Never rejects. */
export async function scrubLog(options: ScrubOptions): Promise<LogScrubbed> {
  try {
    return await walk(options)
  } catch (error) {
    return { kind: isDamage(error) ? 'event' : 'unknown', message: wordsOf(error) }
  }
}

async function walk(options: ScrubOptions): Promise<LogScrubbed> {
  const { file, signal } = options
  const database = openDatabase({ file, synchronous: 'FULL', readOnly: true })
  const reader = openLogReader(file)
  const damages: string[] = []
  try {
    const look = openLook({ database, reader, damages })
    const end = endOf(database).position
    const position = await scrubInPieces(piecesOf(look, end), options)
    if (position !== undefined) return { kind: 'index', message: wrongAt(file, position) }
    const [message] = damages
    if (message !== undefined) return { kind: 'event', message }
    return { kind: signal.aborted ? 'unknown' : 'whole' }
  } finally {
    reader.close()
    database.close()
  }
}

function wrongAt(file: string, position: number): string {
  const what = `its index is wrong at position ${position}: an event is not found by its stream`
  return fileRefusal(file, `${what}; restart Vigil, which makes the index anew`).message
}

/** Answers the first position between two whose event is whole and not found by its stream. */
type Look = (after: number, end: number) => number | undefined

function* piecesOf(look: Look, end: number): Generator<() => number | undefined> {
  for (let after = 0; after < end; after += pieceMax) {
    yield () => look(after, Math.min(end, after + pieceMax))
  }
}

interface Looking {
  readonly database: Database
  readonly reader: LogReader
  /** Takes what is wrong with the first event that is: what comes behind it is looked at all the same. */
  readonly damages: string[]
}

function openLook({ database, reader, damages }: Looking): Look {
  const lost = readLostPositions(database)
  const isFound = indexLook(database)
  const select = database.prepare(
    'SELECT count(*) AS count FROM events NOT INDEXED WHERE position > ? AND position <= ?',
  )
  const hiddenIn = openHidden(database)
  const isHidden = (position: number): boolean => {
    try {
      const [event] = reader.readAll({ after: position - 1, limit: 1 })
      return event !== undefined && !isFound(event)
    } catch (error) {
      // of an event that was changed no index can be made
      if (!isDamagedEvent(error)) throw error
      if (damages.length === 0) damages.push(wordsOf(error))
      return false
    }
  }
  return (after, end) => {
    const positions = positionsIn(lost, after, end)
    const { count } = select.get(after, end) ?? {}
    const odd = count === positions.length ? hiddenIn(after, end) : undefined
    return (odd ?? positions).find(isHidden)
  }
}

/** Answers the positions between two whose events the index lacks, undefined when it cannot be read. */
function openHidden(
  database: Database,
): (after: number, end: number) => readonly number[] | undefined {
  const select = database.prepare(
    `SELECT position FROM events AS event NOT INDEXED
     WHERE position > ? AND position <= ? AND NOT EXISTS (
       SELECT 1 FROM events AS entry INDEXED BY events_of_stream
       WHERE entry.stream = event.stream AND entry.revision = event.revision AND entry.position = event.position)
     ORDER BY position`,
  )
  return (after, end) => {
    try {
      return select.all(after, end).map(({ position }) => Number(position))
    } catch (error) {
      if (isDamage(error)) return undefined
      throw error
    }
  }
}

/** The positions that have an event. */
function positionsIn(lost: LostPositions, after: number, end: number): readonly number[] {
  const positions: number[] = []
  for (let position = lost.next(after); position <= end; position = lost.next(position)) {
    positions.push(position)
  }
  return positions
}

function isDamagedEvent(error: unknown): boolean {
  return isDamage(error) || (error instanceof Failure && error.isDamage)
}

function wordsOf(error: unknown): string {
  const { cause = error } = error instanceof Failure ? error : {}
  return cause instanceof Error ? cause.message : String(cause)
}
