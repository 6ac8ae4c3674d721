/** Opens SQLite files in WAL mode, creates their schema, and runs their transactions. */

import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from '@photostructure/sqlite'
import { explainOpenError, fileError } from './databaseErrors.ts'

export type SqlValue = string | number | bigint | null | Uint8Array
export type Row = Readonly<Record<string, SqlValue>>

/** The subset of the package that the stores use. Every method may throw an error of SQLite, see `findFileFault`. */
export interface Statement {
  readonly run: (...values: SqlValue[]) => { readonly changes: number | bigint }
  readonly get: (...values: SqlValue[]) => Row | undefined
  readonly all: (...values: SqlValue[]) => Row[]
  /** Lets rows be arrays of their values, which are cheaper to make than objects. */
  readonly setReturnArrays: (enabled: boolean) => void
}

export interface Database {
  readonly exec: (sql: string) => void
  readonly prepare: (sql: string) => Statement
  readonly close: () => void
}

export interface DatabaseOptions {
  /** Absolute path; the file is made when it is missing, for its owner alone, unless `readOnly`. */
  readonly file: string
  /** FULL: a commit is on disk when it returns. NORMAL: it survives the end of the process, not a power cut. */
  readonly synchronous: 'FULL' | 'NORMAL'
  readonly readOnly?: boolean
  /** The latest format that can be read, of a file that is opened to be read: a later one is refused. */
  readonly version?: number
  /** Overwrites deleted bytes with zeros. */
  readonly secureDelete?: boolean
  /** Of a file that is made now; one that is there keeps its own. */
  readonly pageBytes?: 4096 | 8192
  /**
   * How long a statement waits for another connection of this process before it fails as busy; five seconds unless
   * given.
   */
  readonly busyMs?: number
}

/**
 * Every database that is not closed yet. A statement does not keep its database alive in every build: one that only its
 * statements remember would be closed by the garbage collector under their feet.
 */
const openDatabases = new Set<Database>()

/**
 * Opens a database in WAL mode. Throws an `Error` that names the file and has advice when it cannot be used. All
 * settings are explicit, because their defaults differ between builds of SQLite (a WAL file may default to NORMAL).
 */
export function openDatabase(options: DatabaseOptions): Database {
  const { file, synchronous, readOnly = false, secureDelete = false } = options
  const { pageBytes = 4096, busyMs = 5_000, version } = options
  let database: Database | undefined
  try {
    if (!readOnly) makeForOwner(file)
    database = new DatabaseSync(file, { readOnly })
    database.exec(`PRAGMA busy_timeout = ${busyMs}`)
    database.exec('PRAGMA trusted_schema = OFF')
    if (readOnly) {
      database.prepare('SELECT count(*) FROM sqlite_schema').get()
      if (version !== undefined) refuseLaterFormat(readFormat(database), { file, version })
      return tracked(database)
    }
    database.exec(`PRAGMA page_size = ${pageBytes}`)
    setJournal(database)
    database.exec(`PRAGMA synchronous = ${synchronous}`)
    database.exec(`PRAGMA secure_delete = ${secureDelete ? 'ON' : 'OFF'}`)
    return tracked(database)
  } catch (error) {
    ignoreErrors(() => database?.close())
    throw explainOpenError(error, file)
  }
}

/** Opens a file for reading that has been in use. Throws like `openDatabase`, also when there is nothing in it. */
export function openUsedFile(file: string, version: number): Database {
  const database = openDatabase({ file, synchronous: 'FULL', readOnly: true, version })
  if (!isEmpty(database)) return database
  database.close()
  throw fileError(file, 'it is empty; put back the file it was')
}

/**
 * SQLite would let everybody read the file, and gives what it keeps beside it the rights of the file. One that is there
 * is not opened: closing it would take the locks of every other connection of this process, and the next program that
 * closes the file would take its write-ahead log for its own.
 */
function makeForOwner(file: string): void {
  try {
    closeSync(openSync(file, 'ax', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

function tracked(database: Database): Database {
  openDatabases.add(database)
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => database.prepare(sql),
    close: () => {
      openDatabases.delete(database)
      database.close()
    },
  }
}

function setJournal(database: Database): void {
  const [mode] = Object.values(database.prepare('PRAGMA journal_mode = WAL').get() ?? {})
  if (mode !== 'wal') {
    throw new Error(
      `the file system does not allow a write-ahead log (journal mode ${String(mode)})`,
    )
  }
}

/** After a failure only the first error is of interest. */
export function ignoreErrors(work: () => void): void {
  try {
    work()
  } catch {
    // The error that led here is the one to report.
  }
}

/**
 * Runs `work` inside BEGIN IMMEDIATE and COMMIT and returns its result. On any error the transaction is rolled back and
 * the error rethrown; when COMMIT itself failed, the state on disk is known only after a restart.
 */
export function runInTransaction<Result>(database: Database, work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    // SQLite has already rolled back by itself after the errors that end a transaction (full disk, failed I/O)
    ignoreErrors(() => database.exec('ROLLBACK'))
    throw error
  }
}

export interface Schema {
  /** Names the file in refusals. */
  readonly file: string
  /** Kept in `PRAGMA user_version`; 1 or more. */
  readonly version: number
  /** Makes everything; run once, in one transaction with the version. */
  readonly sql: string
}

/** Makes the schema in an empty database. Throws when the file has foreign tables or a later version. */
export function ensureSchema(database: Database, schema: Schema): void {
  const { file, version, sql } = schema
  const found = readFormat(database)
  if (found === version) return
  refuseLaterFormat(found, schema)
  if (found !== 0 || !isEmpty(database)) {
    const wayOn = 'put back the file it was, or name another folder with VIGIL_DATA'
    throw fileError(file, `it is a database of something else (format ${found}); ${wayOn}`)
  }
  runInTransaction(database, () => {
    database.exec(sql)
    database.exec(`PRAGMA user_version = ${version}`)
  })
}

function refuseLaterFormat(found: number, { file, version }: Omit<Schema, 'sql'>): void {
  if (found <= version) return
  const formats = `format ${found}, this one knows ${version}`
  const wayOn = 'start that version, or restore a backup that this one has made'
  throw fileError(file, `a newer version of the program wrote it (${formats}); ${wayOn}`)
}

function readFormat(database: Pick<Database, 'prepare'>): number {
  return readNumber(database, 'PRAGMA user_version')
}

/** The one number that a statement answers; 0 when it answers none. */
export function readNumber(database: Pick<Database, 'prepare'>, sql: string): number {
  return Number(Object.values(database.prepare(sql).get() ?? {})[0] ?? 0)
}

/** Whether there is no table in it: SQLite makes such a database of a file that is missing. */
export function isEmpty(database: Database): boolean {
  return readNumber(database, 'SELECT count(*) FROM sqlite_schema') === 0
}
