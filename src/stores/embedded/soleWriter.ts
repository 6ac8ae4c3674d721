/** Finds out that another process has written to the log, which the lock of the folder should have kept out. */

import { fileRefusal } from './databaseTrouble.ts'
import type { LogEnd } from './insertRows.ts'
import type { Database } from './sqlite.ts'

const sentence =
  'another process writes to this folder; stop every one that uses it, then start one; never remove lock.db, which keeps them apart, while one runs'

/**
 * Prepares a look at where the log ends, for use inside a transaction: throws an `Error` that names the file and what to do when it does
 * not end where this writer left it. Whoever goes on then numbers events that are numbered already, and answers of streams it does not know.
 */
export function soleWriter(database: Database, file: string): (end: LogEnd) => void {
  const last = database.prepare('SELECT max(position) AS position FROM events')
  return (end) => {
    if (Number(last.get()?.['position'] ?? 0) !== end.position) throw fileRefusal(file, sentence)
  }
}
