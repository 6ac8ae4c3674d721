/** Opens `views.db` (rebuilt when damaged), creates its tables and indexes, and queries them. */

import { existsSync, rmSync, writeFileSync } from 'node:fs'
import type {
  Collection,
  DocumentBody,
  FindQuery,
  LoadedDocument,
  StoredDocument,
} from '../readStore.ts'
import { checkLoad, resolveFindQuery } from '../resolveFindQuery.ts'
import { explainStoreFault, hasFault } from './databaseErrors.ts'
import { databaseSuffixes, dataFolderAt } from './dataFolder.ts'
import {
  type Database,
  ensureSchema,
  ignoreErrors,
  openDatabase,
  readNumber,
  type SqlValue,
  type Statement,
} from './sqlite.ts'

/** Kept in `PRAGMA user_version`; another number means that the read models are built again. */
const format = 4

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
/**
 * The WAL is written back to the file when it has grown to so many pages: a page changed often is written back once.
 */
const walPages = 4_000

export interface ReadStoreFileOptions {
  readonly folder: string
  readonly readOnly?: boolean
  /** The clock of the store; the machine's unless given. */
  readonly nowMs?: (() => number) | undefined
  /** Told with a sentence when the read models are thrown away and built again. */
  readonly onRebuild?: (reason: string) => void
}

/**
 * Opens `views.db` of the folder. For writing, a file that is damaged, was found damaged, or has another format is
 * deleted and made anew. Throws an `Error` that names the file when it cannot be used, and when it is not ours.
 */
export function openReadStoreFile(options: ReadStoreFileOptions): Database {
  const file = dataFolderAt(options.folder).views
  if (options.readOnly) return openDatabase({ file, synchronous: 'NORMAL', readOnly: true })
  const rebuild = (reason: string): Database => {
    removeReadStoreFile(options.folder)
    options.onRebuild?.(`${file} ${reason}: the read models are built again from the log`)
    return withSchema(openDatabase({ file, synchronous: 'NORMAL' }), file)
  }
  try {
    if (existsSync(dataFolderAt(options.folder).viewsDamagedMarker)) return rebuild('was damaged')
    const database = openDatabase({ file, synchronous: 'NORMAL' })
    const found = readNumber(database, 'PRAGMA user_version')
    const isOurs = readNumber(database, "SELECT 1 FROM sqlite_schema WHERE name = 'checkpoints'")
    if (found === format || (found === 0 && !isOurs)) return withSchema(database, file)
    database.close()
    return rebuild(`has format ${found}, not ${format}`)
  } catch (error) {
    // a damaged header may say that the file is only to be read
    if (!hasFault(error, 'corrupt') && !hasFault(error, 'read_only')) throw error
    return rebuild('is damaged')
  }
}

/** Deletes the read models. Throws an `Error` that names the file. */
export function removeReadStoreFile(folder: string): void {
  const { views, viewsDamagedMarker } = dataFolderAt(folder)
  try {
    for (const suffix of databaseSuffixes) rmSync(`${views}${suffix}`, { force: true })
    rmSync(viewsDamagedMarker, { force: true })
  } catch (error) {
    throw explainStoreFault(error, views)
  }
}

/** Has the next start build the read models again. */
export function markReadStoreDamaged(folder: string): void {
  ignoreErrors(() => writeFileSync(dataFolderAt(folder).viewsDamagedMarker, '', { mode: 0o600 }))
}

function withSchema(database: Database, file: string): Database {
  try {
    // Ids of subjects come in no order: what does not fit here is read and written again and again.
    database.exec(`PRAGMA cache_size = -${cacheKib}`)
    database.exec(`PRAGMA wal_autocheckpoint = ${walPages}`)
    // An index is sorted before it is written: the folder for temporary files may have no room, or not exist.
    database.exec('PRAGMA temp_store = MEMORY')
    ensureSchema(database, { file, version: format, sql: schema })
    // finds out whether it can be written
    database.exec(`PRAGMA user_version = ${format}`)
    return database
  } catch (error) {
    database.close()
    throw explainStoreFault(error, file)
  }
}

const namePattern = /^[a-z][a-z_]{0,59}$/

/** How a collection lies in its table: names and SQL, made once. */
interface Layout {
  readonly table: string
  /** Indexed fields, each once. */
  readonly fields: readonly string[]
  /**
   * Writes a document, and a tombstone, whose values are id, position, body, then the indexed fields; ignores what is
   * not later.
   */
  readonly put: string
  readonly remove: string
}

const layouts = new WeakMap<Collection, Layout>()

/** Throws when a name could not be one of SQL. */
export function layoutOf(collection: Collection): Layout {
  const known = layouts.get(collection)
  if (known) return known
  const { name, version, indexes } = collection
  if (!Number.isSafeInteger(version) || version < 1) {
    throw new Error(`the version of collection ${name} must be a whole number from 1 on`)
  }
  const table = `c_${checked(name)}_${version}`
  const fields = [...new Set(indexes.flat())]
  const columns = ['id', 'position', 'body', ...fields.map(columnOf)]
  const set = columns.slice(1).map((column) => `${column} = excluded.${column}`)
  const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
    ON CONFLICT (id) DO UPDATE SET ${set.join(', ')} WHERE position`
  const put = `${sql} < excluded.position`
  // a deletion wins over a document of its own position, since one fold may make a document and delete it
  const remove = `${put} OR (position = excluded.position AND body IS NOT NULL)`
  const layout = { table, fields, put, remove }
  layouts.set(collection, layout)
  return layout
}

function checked(name: string): string {
  if (!namePattern.test(name)) throw new Error(`not the name of a collection or field: ${name}`)
  return name
}

/** The column of an indexed field. */
function columnOf(field: string): string {
  return `f_${checked(field)}`
}

/**
 * Makes the table of a collection when it is missing, without its indexes. Throws when it exists with other indexes:
 * its rows have no columns for them, so other indexes need a new version of the projection.
 */
export function prepareTable(database: Database, collection: Collection): void {
  const indexes = JSON.stringify(collection.indexes)
  const { indexes: found } =
    database
      .prepare('SELECT indexes FROM collections WHERE name = ? AND version = ?')
      .get(collection.name, collection.version) ?? {}
  if (found === indexes) return
  if (found !== undefined) {
    throw new Error(
      `collection ${collection.name} version ${collection.version} exists with other indexes; give it a new version`,
    )
  }
  createTable(database, collection)
  database
    .prepare('INSERT INTO collections (name, version, indexes) VALUES (?, ?, ?)')
    .run(collection.name, collection.version, indexes)
}

function createTable(database: Database, collection: Collection): void {
  const { table, fields } = layoutOf(collection)
  const columns = fields.map((field) => `, ${columnOf(field)}`).join('')
  // With indexes, rows are larger than what an index should carry; without, a second tree for the ids would only cost.
  const kind = collection.indexes.length === 0 ? ' WITHOUT ROWID' : ''
  database.exec(
    `CREATE TABLE ${table} (id TEXT NOT NULL PRIMARY KEY, position INTEGER NOT NULL, body TEXT${columns})${kind}`,
  )
  // Holds tombstones alone: it costs nothing to write documents and finds the dead without a scan.
  database.exec(`CREATE INDEX ${table}_dead ON ${table} (position) WHERE body IS NULL`)
}

/** What makes the indexes of a collection that are missing, each by itself; each has the id behind its fields. */
export function missingIndexes(database: Database, collection: Collection): readonly string[] {
  const { table } = layoutOf(collection)
  const exists = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?")
  return collection.indexes.flatMap((fields, number) => {
    const name = `${table}_${number}`
    if (exists.get(name)) return []
    const columns = [...fields.map(columnOf), 'id'].join(', ')
    return [`CREATE INDEX IF NOT EXISTS ${name} ON ${table} (${columns})`]
  })
}

export function dropTable(database: Database, name: string, version: number): void {
  database.exec(`DROP TABLE IF EXISTS ${layoutOf({ name, version, indexes: [] }).table}`)
  database.prepare('DELETE FROM collections WHERE name = ? AND version = ?').run(name, version)
}

/** The value of an indexed field in its column. */
export function columnValue(body: DocumentBody | null, field: string): SqlValue {
  const value = body?.[field]
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'number') return value
  if (typeof value === 'boolean') return Number(value)
  throw new Error(`an indexed field must be text, a number or a bool: ${field}`)
}

const operators = { eq: '=', gte: '>=', gt: '>', lt: '<', lte: '<=' } as const

/** The SQL of a query and its values. Throws like `resolveFindQuery`. */
function findQuery(collection: Collection, find: FindQuery) {
  const { conditions, order, descending } = resolveFindQuery(collection, find)
  const columns = order.map(columnFor)
  const marks = columns.map(() => '?').join(', ')
  const after = find.after && `(${columns.join(', ')}) ${descending ? '<' : '>'} (${marks})`
  const where = [
    'body IS NOT NULL',
    ...conditions.map(({ field, operator }) => `${columnFor(field)} ${operators[operator]} ?`),
    ...(after ? [after] : []),
  ].join(' AND ')
  const by = columns.map((column) => (descending ? `${column} DESC` : column)).join(', ')
  return {
    sql: `SELECT id, position, body FROM ${layoutOf(collection).table} WHERE ${where} ORDER BY ${by} LIMIT ?`,
    values: [
      ...conditions.map(({ value }) => (typeof value === 'boolean' ? Number(value) : value)),
      ...(find.after ? [...find.after.values, find.after.id] : []),
      find.limit,
    ],
  }
}

function columnFor(field: string): string {
  return field === 'id' ? 'id' : columnOf(field)
}

/** Prepares SQL, once. */
export type Statements = (sql: string) => Statement

/** A document that exists, or was deleted and not yet swept. */
export function loadRow(
  statement: Statements,
  collection: Collection,
  id: string,
): LoadedDocument | undefined {
  const sql = `SELECT position, body FROM ${layoutOf(collection).table} WHERE id = ?`
  const row = statement(sql).get(id)
  if (!row) return undefined
  const { position, body } = row
  return { id, position: Number(position), body: typeof body === 'string' ? parsed(body) : null }
}

export function loadRows(
  statement: Statements,
  collection: Collection,
  ids: readonly string[],
): readonly LoadedDocument[] {
  checkLoad(ids)
  const sql = `SELECT id, position, body FROM ${layoutOf(collection).table} WHERE id IN (SELECT value FROM json_each(?))`
  return selectRows<string | null>(statement(sql), [JSON.stringify(ids)]).map(
    ([id, position, body]) => ({ id, position, body: body === null ? null : parsed(body) }),
  )
}

export function findRows(
  statement: Statements,
  collection: Collection,
  find: FindQuery,
): readonly StoredDocument[] {
  const { sql, values } = findQuery(collection, find)
  return selectRows<string>(statement(sql), values).map(([id, position, body]) => ({
    ...{ id, position },
    body: parsed(body),
  }))
}

type DocumentRow<Body> = readonly [id: string, position: number, body: Body]

function selectRows<Body>(select: Statement, values: SqlValue[]): readonly DocumentRow<Body>[] {
  select.setReturnArrays(true)
  // rows are arrays, whatever the type of the package says
  return select.all(...values) as readonly unknown[] as readonly DocumentRow<Body>[]
}

function parsed(body: string): DocumentBody {
  return JSON.parse(body) as DocumentBody
}
