/** One transaction around a piece of work. */

import type { Database } from './sqlite.ts'

/**
 * Runs `work` inside BEGIN IMMEDIATE and COMMIT and answers what it answered. When anything throws, the transaction is rolled
 * back and the error thrown on; when it was COMMIT that threw, what is on disk is known only after a restart.
 */
export function transaction<Result>(database: Database, work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    rollBack(database)
    throw error
  }
}

function rollBack(database: Database): void {
  try {
    database.exec('ROLLBACK')
  } catch {
    // SQLite has already rolled back by itself after the errors that end a transaction (full disk, failed I/O).
  }
}
