/** What a log has beyond an older copy of it. */

import { isDamage, openRefusal } from './databaseTrouble.ts'
import { endOf, type LogEnd } from './logRows.ts'
import { type Database, hasTable, openDatabase, readDatabase } from './sqlite.ts'

export interface BeyondCopy {
  readonly end: LogEnd
  /** Whether each has the other's last event, if it goes so far: else they are copies of different logs. */
  readonly sameLog: boolean
  /** Events after the end of the copy. */
  readonly events: number
  /** How many of them are of this type. */
  readonly ofType: number
}

export interface LogAndCopy {
  /** Files. */
  readonly log: string
  readonly copy: string
  /** A type of events to be counted apart. */
  readonly type: string
}

/** Undefined when there is no log, or it is damaged. Throws an `Error` that names the file that cannot be read for another reason. */
export function compareLogs({ log, copy, type }: LogAndCopy): BeyondCopy | undefined {
  const older = openDatabase({ file: copy, synchronous: 'NORMAL', readOnly: true })
  try {
    return readDatabase(log, (standing) =>
      hasTable(standing, 'events') ? beyond(standing, older, type) : undefined,
    )
  } catch (error) {
    if (isDamage(error)) return undefined
    throw openRefusal(error, log)
  } finally {
    older.close()
  }
}

function beyond(standing: Database, older: Database, type: string): BeyondCopy {
  const end = endOf(standing)
  const copied = endOf(older)
  const sameLog =
    end.position >= copied.position ? has(standing, copied) : end.position === 0 || has(older, end)
  const counted = standing
    .prepare(
      'SELECT count(*) AS n, count(*) FILTER (WHERE type = ?) AS m FROM events WHERE position > ?',
    )
    .get(type, copied.position)
  return { end, sameLog, events: Number(counted?.['n']), ofType: Number(counted?.['m']) }
}

function has(database: Database, { position, id }: LogEnd): boolean {
  if (position === 0) return true
  const found = database.prepare('SELECT id FROM events WHERE position = ?').all(position)
  return found[0]?.['id'] === id
}
