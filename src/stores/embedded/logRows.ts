/** The rows of the event log: how they are kept on disk, and how the appends of a batch become rows inside its transaction. */

import { crc32 } from 'node:zlib'
import type { Append, Appended, RecordedEvent, WrongRevision } from '../eventStore.ts'
import type { Database, SqlValue, Statement } from './sqlite.ts'

/** Kept in `PRAGMA user_version`; a program refuses what a newer one wrote. */
export const logVersion = 2

/** Twice the usual size: an event is more than a kilobyte, so fewer pages are written, checked and moved for the same events. */
export const logPageBytes = 8192

/**
 * One row per event and one index. Rows are only ever added, at the end, so that a commit touches few pages; `position` is
 * the rowid, and as nothing is deleted no position is used twice. Lost are positions whose events will never be there again: the owner has
 * accepted it, and an event after them says so.
 */
export const logSchema = `
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    stream   TEXT    NOT NULL,
    revision INTEGER NOT NULL,
    id       TEXT    NOT NULL,
    type     TEXT    NOT NULL,
    data     TEXT    NOT NULL,
    metadata TEXT    NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX events_of_stream ON events (stream, revision);
  CREATE TABLE lost_positions (first INTEGER PRIMARY KEY, last INTEGER NOT NULL) STRICT;`

/** Positions from `first` to `last`, both included. */
export interface PositionRange {
  readonly first: number
  readonly last: number
}

export interface LostPositions {
  /** The position that comes after this one in the log. */
  readonly next: (position: number) => number
  readonly includes: (position: number) => boolean
  /** How many there are. */
  readonly count: number
}

/** Reads them. */
export function readLostPositions(database: Database): LostPositions {
  const ranges = rangesIn(database)
  const rangeAt = (position: number): PositionRange | undefined =>
    ranges.find(({ first, last }) => first <= position && position <= last)
  const next = (position: number): number => {
    const range = rangeAt(position + 1)
    return range ? next(range.last) : position + 1
  }
  return {
    next: ranges.length === 0 ? (position) => position + 1 : next,
    includes: (position) => rangeAt(position) !== undefined,
    count: ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0),
  }
}

function rangesIn(database: Database): readonly PositionRange[] {
  return database
    .prepare('SELECT first, last FROM lost_positions ORDER BY first')
    .all()
    .map(({ first, last }) => ({ first: Number(first), last: Number(last) }))
}

/** The bytes of an event are put together here: most are far smaller, and making a text of them all takes longer. */
const bytes = Buffer.allocUnsafeSlow(64 * 1024)
/** Bytes that a character of a text takes in UTF-8 at the most. */
const characterBytesMax = 3
const lineEnd = 0x0a

/** CRC-32 of every field in UTF-8; the line ends keep one field from running into the next. */
export function eventChecksum(event: RecordedEvent): number {
  const { position, revision, stream, id, type, data, metadata } = event
  const place = `${position}\n${revision}\n${stream}\n${id}\n${type}\n`
  const characters = place.length + data.length + 1 + metadata.length
  if (characters * characterBytesMax > bytes.length) return crc32(`${place}${data}\n${metadata}`)
  let end = bytes.write(place)
  end += bytes.write(data, end)
  bytes[end] = lineEnd
  end += 1
  end += bytes.write(metadata, end)
  return crc32(bytes.subarray(0, end))
}

/** Where the log ends, and what tells its last event from any other; moved on by every row inserted. */
export interface LogEnd {
  position: number
  id: string
  checksum: number
}

/** The end of a log as it stands in its file. */
export function endOf(database: Database): LogEnd {
  const [end] = database
    .prepare('SELECT position, id, checksum FROM events ORDER BY position DESC LIMIT 1')
    .all()
  if (!end) return startOfLog()
  const { position, id, checksum } = end
  return { position: Number(position), id: String(id), checksum: Number(checksum) }
}

/** The end of a log without an event. */
export function startOfLog(): LogEnd {
  return { position: 0, id: '', checksum: 0 }
}

interface RowInserter {
  /**
   * Inserts the events of these appends, each at the revision it expects. Answers false, with nothing inserted, when a stream
   * has one of the revisions already. Throws when the log goes on behind `end`: nothing of the transaction may be committed then.
   */
  readonly insert: (appends: readonly Append[], end: LogEnd) => boolean
}

/** Rows of one statement, the most first: whatever the number of rows, few statements write them. */
const groupSizes = [16, 4, 1] as const

const columnCount = 8
const placeholders = `(${Array(columnCount).fill('?').join(', ')})`

/** Prepares the statements on a log. */
function rowInserter(database: Database): RowInserter {
  const groups = groupSizes.map((size) => ({ size, statement: prepareInsert(database, size) }))
  const undo = database.prepare('DELETE FROM events WHERE position > ? AND position <= ?')
  /** A row that was there before is not taken along: whoever wrote it was told that it is kept. */
  const takeBack = (inserted: number, start: LogEnd, end: LogEnd): void => {
    const deleted = Number(undo.run(start.position, end.position).changes)
    if (deleted !== inserted) throw new Error('the event log has events behind its end')
  }
  return {
    insert: (appends, end) => {
      const start = { ...end }
      const values = valuesOf(appends, end)
      let at = 0
      for (const { size, statement } of groups) {
        for (; values.length - at >= size * columnCount; at += size * columnCount) {
          const rows = values.slice(at, at + size * columnCount)
          const inserted = Number(statement.run(...rows).changes)
          if (inserted === size) continue
          takeBack(at / columnCount + inserted, start, end)
          Object.assign(end, start)
          return false
        }
      }
      return true
    },
  }
}

function prepareInsert(database: Database, size: number): Statement {
  return database.prepare(
    `INSERT INTO events (position, stream, revision, id, type, data, metadata, checksum)
     VALUES ${Array(size).fill(placeholders).join(', ')} ON CONFLICT (stream, revision) DO NOTHING`,
  )
}

/** The columns of one row after another, in the order of the statement. */
function valuesOf(appends: readonly Append[], end: LogEnd): SqlValue[] {
  const values: SqlValue[] = []
  for (const { stream, expected, events } of appends) {
    let revision = expected === 'no_stream' ? -1 : expected
    for (const { id, type, data, metadata } of events) {
      end.position += 1
      revision += 1
      const { position } = end
      end.id = id
      end.checksum = eventChecksum({ position, stream, revision, id, type, data, metadata })
      values.push(position, stream, revision, id, type, data, metadata, end.checksum)
    }
  }
  return values
}

export type Answer = Appended | WrongRevision

/** Inserts the events of each append, or none of them and says why; answers in order. Throws when the database does. */
export type InsertBatch = (batch: readonly Append[], end: LogEnd) => readonly Answer[]

interface Statements extends RowInserter {
  /** The last revision of a stream, -1 when there is none. */
  readonly current: (stream: string) => number
  readonly following: (
    stream: string,
    revision: number,
    count: number,
  ) => readonly { readonly id: string; readonly position: number }[]
}

/** Appends that are tried together, and done over one by one when a stream of one of them is there already. */
const runMax = 16

/** Prepares the statements on a log; the writer is alone, so what was read stays true until the commit. */
export function batchInserter(database: Database): InsertBatch {
  const statements = prepareStatements(database)
  return (batch, end) => {
    const answers: Answer[] = []
    for (let at = 0; at < batch.length; ) {
      const run = newStreams(batch, at)
      if (run.length === 0) answers.push(insertOne(statements, batch[at] as Append, end))
      else answers.push(...insertRun(statements, run, end))
      at += Math.max(run.length, 1)
    }
    return answers
  }
}

/** The appends from `at` on that each expect a new stream: by far the most frequent ones. */
function newStreams(batch: readonly Append[], at: number): readonly Append[] {
  let end = at
  while (end < batch.length && end - at < runMax && batch[end]?.expected === 'no_stream') end += 1
  return batch.slice(at, end)
}

/** A new stream needs no look-up: the index itself says whether there is one. */
function insertRun(statements: Statements, run: readonly Append[], end: LogEnd): readonly Answer[] {
  let position = end.position
  if (!statements.insert(run, end)) return run.map((append) => insertOne(statements, append, end))
  return run.map(({ events }) => {
    position += events.length
    return { ok: true, revision: events.length - 1, position }
  })
}

function insertOne(statements: Statements, append: Append, end: LogEnd): Answer {
  const wanted = append.expected === 'no_stream' ? -1 : append.expected
  const current = statements.current(append.stream)
  if (wanted < current) return duplicate(statements, append, { wanted, current })
  if (wanted > current) return wrongRevision(current)
  if (!statements.insert([append], end)) throw brokenIndex(append.stream)
  return { ok: true, revision: wanted + append.events.length, position: end.position }
}

/**
 * Someone was here before: the very same append (all ids alike) succeeds with its first answer, however long ago that was;
 * anything else is a wrong revision, and so is the same append with one event more.
 */
function duplicate(
  { following }: Statements,
  { stream, events }: Append,
  { wanted, current }: { readonly wanted: number; readonly current: number },
): Answer {
  const present = following(stream, wanted, events.length)
  const last = present.at(-1)
  const same = events.every(({ id }, index) => present[index]?.id === id)
  if (!same || !last) return wrongRevision(current)
  return { ok: true, revision: wanted + events.length, position: last.position }
}

function wrongRevision(current: number): WrongRevision {
  return { ok: false, actual: current < 0 ? 'no_stream' : current }
}

function brokenIndex(stream: string): Error {
  return new Error(`the event log is damaged: the revisions of ${stream} have a hole`)
}

function prepareStatements(database: Database): Statements {
  const current = database.prepare(
    'SELECT revision FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1',
  )
  const following = database.prepare(
    'SELECT id, position FROM events WHERE stream = ? AND revision > ? ORDER BY revision LIMIT ?',
  )
  return {
    ...rowInserter(database),
    current: (stream) => Number(Object.values(current.get(stream) ?? {})[0] ?? -1),
    following: (stream, revision, count) =>
      following.all(stream, revision, count) as unknown as ReturnType<Statements['following']>,
  }
}
