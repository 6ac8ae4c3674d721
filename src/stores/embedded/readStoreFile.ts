/** The file of the embedded read store, which may be deleted and built again at any time, but never in silence. */

import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { isDamage, openRefusal, troubleOf } from './databaseTrouble.ts'
import { dataFolder } from './dataFolder.ts'
import { leaseSchema } from './readStoreLeases.ts'
import { ensureSchema } from './schema.ts'
import { type Database, openDatabase } from './sqlite.ts'

/** Kept in `PRAGMA user_version`; another number means that the read models are built again. */
const format = 3

const schema = `
  CREATE TABLE collections (
    name TEXT NOT NULL, version INTEGER NOT NULL, indexes TEXT NOT NULL, PRIMARY KEY (name, version)
  ) WITHOUT ROWID;
  CREATE TABLE checkpoints (
    projection TEXT NOT NULL, version INTEGER NOT NULL, position INTEGER NOT NULL, ready INTEGER NOT NULL,
    witness TEXT, collections TEXT NOT NULL, PRIMARY KEY (projection, version)
  ) WITHOUT ROWID;`

/** Pages of the file held in memory by the writer. */
const cacheKib = 16 * 1024
/** The WAL is written back to the file when it has grown to so many pages: a page changed often is written back once. */
const walPages = 4_000

export interface ViewsOptions {
  readonly folder: string
  readonly readOnly?: boolean
  /** The clock of the store; the machine's unless given. */
  readonly nowMs?: () => number
  /** Names the time for which a process holds the folder: leases of another one have ended with it. One for all unless given. */
  readonly session?: string
  /** Told with a sentence when the read models are thrown away and built again. */
  readonly onRebuild?: (reason: string) => void
}

/**
 * Opens `views.db` of the folder. For writing, a file that is damaged, was found damaged while it was used, or is of another
 * format is deleted and made anew. Throws an `Error` that names the file when it cannot be used, and when it is not ours.
 */
export function openViews(options: ViewsOptions): Database {
  const file = dataFolder(options.folder).views
  if (options.readOnly) return openDatabase({ file, synchronous: 'NORMAL', readOnly: true })
  const rebuild = (reason: string): Database => {
    options.onRebuild?.(`${file} ${reason}: the read models are built again from the log`)
    removeViews(options.folder)
    return withSchema(openDatabase({ file, synchronous: 'NORMAL' }), file)
  }
  if (isMarkedDamaged(options.folder)) return rebuild('was found damaged')
  try {
    const database = openDatabase({ file, synchronous: 'NORMAL' })
    const found = formatOf(database)
    if (found === 0 || found === format) return withSchema(database, file)
    database.close()
    return rebuild(`has format ${found}, not ${format}`)
  } catch (error) {
    if (!isDamage(error)) throw error
    return rebuild('is damaged')
  }
}

/** Remembers that the file was found damaged while it was used, so that the next start makes it anew. */
export function markDamaged(folder: string): void {
  writeFileSync(markOf(folder), '', { mode: 0o600 })
}

/** Whether that is so. */
export function isMarkedDamaged(folder: string): boolean {
  return existsSync(markOf(folder))
}

/** Deletes the read models; the mark of damage goes last, so that a half deleted file is never taken for a sound one. */
export function removeViews(folder: string): void {
  const file = dataFolder(folder).views
  markDamaged(folder)
  for (const path of [`${file}-wal`, `${file}-shm`, file, markOf(folder)]) {
    rmSync(path, { force: true })
  }
}

function withSchema(database: Database, file: string): Database {
  try {
    // Ids of subjects come in no order: what does not fit here is read and written again and again.
    database.exec(`PRAGMA cache_size = -${cacheKib}`)
    database.exec(`PRAGMA wal_autocheckpoint = ${walPages}`)
    // An index is sorted before it is written: the folder for temporary files may have no room, or not exist.
    database.exec('PRAGMA temp_store = MEMORY')
    ensureSchema(database, { file, version: format, sql: schema })
    database.exec(leaseSchema)
    return database
  } catch (error) {
    database.close()
    throw troubleOf(error) ? openRefusal(error, file) : error
  }
}

function markOf(folder: string): string {
  return `${dataFolder(folder).views}.damaged`
}

function formatOf(database: Database): number {
  const [version] = Object.values(database.prepare('PRAGMA user_version').get() ?? {})
  return Number(version)
}
