/** The appends of a batch inside its transaction: the revision check, the duplicate rules, the rows. */

import type { Append, Appended, WrongRevision } from '../eventStore.ts'
import { type LogEnd, type RowInserter, rowInserter } from './insertRows.ts'
import type { Database } from './sqlite.ts'

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
