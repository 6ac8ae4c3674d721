/** One append inside the transaction of its batch: the revision check, the duplicate rules, the rows. */

import type { Append, Appended, RecordedEvent, WrongRevision } from '../eventStore.ts'
import { eventChecksum } from './eventChecksum.ts'
import type { Database } from './sqlite.ts'

export type Answer = Appended | WrongRevision

/** Where the log ends; moved on by every row inserted. */
export interface LogEnd {
  position: number
}

/** Inserts the events of an append, or none of them and says why. Throws when the database does. */
export type InsertAppend = (append: Append, end: LogEnd) => Answer

interface Statements {
  /** Inserts a row, unless the stream has that revision already: answers whether it did. */
  readonly insert: (event: RecordedEvent) => boolean
  /** The last revision of a stream, -1 when there is none. */
  readonly current: (stream: string) => number
  readonly following: (
    stream: string,
    revision: number,
    count: number,
  ) => readonly { readonly id: string; readonly position: number }[]
}

/** Prepares the statements on a log; the writer is alone, so what was read stays true until the commit. */
export function appendInserter(database: Database): InsertAppend {
  const statements = prepareStatements(database)
  return (append, end) => {
    const wanted = append.expected === 'no_stream' ? -1 : append.expected
    // A new stream, by far the most frequent append, needs no look-up: the index itself says whether there is one.
    if (wanted === -1 && insertAll(statements, append, end)) return appended(append, wanted, end)
    const current = statements.current(append.stream)
    if (wanted < current) return duplicate(statements, append, { wanted, current })
    if (wanted > current) return wrongRevision(current)
    if (wanted === -1 || !insertAll(statements, append, end)) throw brokenIndex(append.stream)
    return appended(append, wanted, end)
  }
}

function insertAll({ insert }: Statements, append: Append, end: LogEnd): boolean {
  const first = append.expected === 'no_stream' ? 0 : append.expected + 1
  for (const [index, event] of append.events.entries()) {
    const position = end.position + 1
    const row = { ...event, stream: append.stream, revision: first + index, position }
    if (!insert(row)) {
      if (index > 0) throw brokenIndex(append.stream)
      return false
    }
    end.position = position
  }
  return true
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

function appended({ events }: Append, wanted: number, end: LogEnd): Appended {
  return { ok: true, revision: wanted + events.length, position: end.position }
}

function wrongRevision(current: number): WrongRevision {
  return { ok: false, actual: current < 0 ? 'no_stream' : current }
}

function brokenIndex(stream: string): Error {
  return new Error(`the event log is damaged: the revisions of ${stream} have a hole`)
}

function prepareStatements(database: Database): Statements {
  const insert = database.prepare(
    `INSERT INTO events (position, stream, revision, id, type, data, metadata, checksum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (stream, revision) DO NOTHING`,
  )
  const current = database.prepare(
    'SELECT revision FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1',
  )
  const following = database.prepare(
    'SELECT id, position FROM events WHERE stream = ? AND revision > ? ORDER BY revision LIMIT ?',
  )
  return {
    insert: (event) => {
      const { position, stream, revision, id, type, data, metadata } = event
      const checksum = eventChecksum(event)
      return insert.run(position, stream, revision, id, type, data, metadata, checksum).changes > 0
    },
    current: (stream) => Number(Object.values(current.get(stream) ?? {})[0] ?? -1),
    following: (stream, revision, count) =>
      following.all(stream, revision, count) as unknown as ReturnType<Statements['following']>,
  }
}
