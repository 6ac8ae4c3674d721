/** Rows of the log on their way in: many with one statement, since each statement costs more than the row it writes. */

import type { Append } from '../eventStore.ts'
import { eventChecksum } from './eventChecksum.ts'
import type { Database, SqlValue, Statement } from './sqlite.ts'

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

export interface RowInserter {
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
export function rowInserter(database: Database): RowInserter {
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
