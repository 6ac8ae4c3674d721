/** Looks into a database that may not be there, without changing it. */

import { statSync } from 'node:fs'
import { isDamage, openRefusal } from './databaseTrouble.ts'
import { type Database, openDatabase } from './sqlite.ts'

/** What `read` finds in the file; undefined when there is no file, nothing in it, or it is damaged, which whoever opens it says. */
export function readDatabase<Found>(
  file: string,
  read: (database: Database) => Found,
): Found | undefined {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return undefined
  let database: Database | undefined
  try {
    database = openDatabase({ file, synchronous: 'NORMAL', readOnly: true })
    return read(database)
  } catch (error) {
    if (isDamage(error)) return undefined
    throw openRefusal(error, file)
  } finally {
    database?.close()
  }
}

export function hasTable(database: Database, name: string): boolean {
  const found = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name)
  return found !== undefined
}
