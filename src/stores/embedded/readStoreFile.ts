/** Opens the file of the embedded read store, rebuilt when damaged; builds its tables and queries. */

import { rmSync } from 'node:fs'
import { checkLoad, type FindShape, findShape, isRange, prefixEnd } from '../findShape.ts'
import type {
  Collection,
  DocumentBody,
  Find,
  LoadedDocument,
  StoredDocument,
} from '../readStore.ts'
import { isDamage, openRefusal, troubleOf } from './databaseErrors.ts'
import { besides, dataFolder } from './dataFolder.ts'
import {
  type Database,
  ensureSchema,
  openDatabase,
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
/** The WAL is written back to the file when it has grown to so many pages: a page changed often is written back once. */
const walPages = 4_000

export interface ViewsOptions {
  readonly folder: string
  readonly readOnly?: boolean
  /** The clock of the store; the machine's unless given. */
  readonly nowMs?: (() => number) | undefined
  /** Told with a sentence when the read models are thrown away and built again. */
  readonly onRebuild?: (reason: string) => void
}

/**
 * Opens `views.db` of the folder. For writing, a file that is no database or of another format is deleted and made anew. Throws an `Error` that names the file when it cannot be used, and when it is not ours.
 */
export function openViews(options: ViewsOptions): Database {
  const file = dataFolder(options.folder).views
  if (options.readOnly) return openDatabase({ file, synchronous: 'NORMAL', readOnly: true })
  const rebuild = (reason: string): Database => {
    options.onRebuild?.(`${file} ${reason}: the read models are built again from the log`)
    removeViews(options.folder)
    return withSchema(openDatabase({ file, synchronous: 'NORMAL' }), file)
  }
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

/** Deletes the read models. */
export function removeViews(folder: string): void {
  const file = dataFolder(folder).views
  for (const beside of besides) rmSync(`${file}${beside}`, { force: true })
}

function withSchema(database: Database, file: string): Database {
  try {
    // Ids of subjects come in no order: what does not fit here is read and written again and again.
    database.exec(`PRAGMA cache_size = -${cacheKib}`)
    database.exec(`PRAGMA wal_autocheckpoint = ${walPages}`)
    // An index is sorted before it is written: the folder for temporary files may have no room, or not exist.
    database.exec('PRAGMA temp_store = MEMORY')
    ensureSchema(database, { file, version: format, sql: schema })
    return database
  } catch (error) {
    database.close()
    throw troubleOf(error) ? openRefusal(error, file) : error
  }
}

function formatOf(database: Database): number {
  const [version] = Object.values(database.prepare('PRAGMA user_version').get() ?? {})
  return Number(version)
}

const namePattern = /^[a-z][a-z_]{0,59}$/

interface Layout {
  readonly table: string
  /** Indexed fields, each once. */
  readonly fields: readonly string[]
  readonly columns: readonly string[]
}

const layouts = new WeakMap<Collection, Layout>()

/** The table of a collection. Throws when a name could not be one of SQL. */
export function tableOf(collection: Collection): string {
  return layoutOf(collection).table
}

/** The indexed fields, each once. */
export function fieldsOf(collection: Collection): readonly string[] {
  return layoutOf(collection).fields
}

/** All columns: id, position, body, then the indexed fields. */
export function columnsOf(collection: Collection): readonly string[] {
  return layoutOf(collection).columns
}

/** The column of an indexed field. */
function columnOf(field: string): string {
  return `f_${checked(field)}`
}

/**
 * Makes the table of a collection when it is missing, without its indexes. Throws when it exists with other indexes: its rows have no
 * columns for them, so other indexes need a new version of the projection.
 */
export function prepareTable(database: Database, collection: Collection): void {
  const indexes = JSON.stringify(collection.indexes)
  const [found] = Object.values(
    database
      .prepare('SELECT indexes FROM collections WHERE name = ? AND version = ?')
      .get(collection.name, collection.version) ?? {},
  )
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
  const table = tableOf(collection)
  const fields = fieldsOf(collection).map((field) => `, ${columnOf(field)}`)
  const kind = isOneTree(collection) ? ' WITHOUT ROWID' : ''
  database.exec(
    `CREATE TABLE ${table} (id TEXT NOT NULL PRIMARY KEY, position INTEGER NOT NULL, body TEXT${fields.join('')})${kind}`,
  )
  // Holds tombstones alone: it costs nothing to write documents and finds the dead without a scan.
  database.exec(`CREATE INDEX ${table}_dead ON ${table} (position) WHERE body IS NULL`)
}

/**
 * Whether the documents of a collection lie in the tree of their ids. With indexes, rows are larger than what an index should carry;
 * without, a second tree for the ids would only cost.
 */
function isOneTree({ indexes }: Collection): boolean {
  return indexes.length === 0
}

/** The indexes of a collection by their names in SQLite; each has the id behind its fields. */
function indexesOf(
  collection: Collection,
): readonly { readonly name: string; readonly fields: readonly string[] }[] {
  const table = tableOf(collection)
  return collection.indexes.map((fields, number) => ({ name: `${table}_${number}`, fields }))
}

/** What makes the indexes of a collection that are missing, each by itself. */
export function missingIndexes(database: Database, collection: Collection): readonly string[] {
  const exists = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?")
  return indexesOf(collection).flatMap(({ name, fields }) => {
    if (exists.get(name)) return []
    const columns = [...fields.map(columnOf), 'id'].join(', ')
    return [`CREATE INDEX IF NOT EXISTS ${name} ON ${tableOf(collection)} (${columns})`]
  })
}

function layoutOf(collection: Collection): Layout {
  const known = layouts.get(collection)
  if (known) return known
  const fields = [...new Set(collection.indexes.flat())]
  const layout = {
    table: `c_${checked(collection.name)}_${versionOf(collection)}`,
    fields,
    columns: ['id', 'position', 'body', ...fields.map(columnOf)],
  }
  layouts.set(collection, layout)
  return layout
}

function versionOf({ name, version }: Collection): number {
  if (!Number.isSafeInteger(version) || version < 1) {
    throw new Error(`the version of collection ${name} must be a whole number from 1 on`)
  }
  return version
}

function checked(name: string): string {
  if (!namePattern.test(name)) throw new Error(`not the name of a collection or field: ${name}`)
  return name
}

/** What a document is read of. */
const documentColumns = 'id, position, body'

interface FindQuery {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

interface Part {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

/** The SQL of a question. Throws like `findShape`. */
function findQuery(collection: Collection, find: Find): FindQuery {
  const shape = findShape(collection, find)
  const { descending } = shape
  const parts = [
    ...Object.entries(find.where).flatMap(([field, value]) =>
      conditionsOf(columnFor(field), value),
    ),
    ...(find.after ? [afterOf(shape, find.after)] : []),
  ]
  const where = ['body IS NOT NULL', ...parts.map((part) => part.sql)].join(' AND ')
  const by = shape.order
    .map(columnFor)
    .map((column) => (descending ? `${column} DESC` : column))
    .join(', ')
  return {
    sql: `SELECT ${documentColumns} FROM ${tableOf(collection)} WHERE ${where} ORDER BY ${by} LIMIT ?`,
    values: [...parts.flatMap((part) => part.values), find.limit],
  }
}

function columnFor(field: string): string {
  return field === 'id' ? 'id' : columnOf(field)
}

function conditionsOf(column: string, value: Find['where'][string]): readonly Part[] {
  if (!isRange(value)) return [{ sql: `${column} = ?`, values: [scalar(value)] }]
  const { prefix, ...bounds } = value
  const parts = Object.entries(bounds).map(([name, bound]) => ({
    sql: `${column} ${operators[name as keyof typeof operators]} ?`,
    values: [bound],
  }))
  return prefix === undefined ? parts : [...parts, prefixOf(column, prefix)]
}

const operators = { gte: '>=', gt: '>', lt: '<', lte: '<=' } as const

function prefixOf(column: string, prefix: string): Part {
  return { sql: `${column} >= ? AND ${column} < ?`, values: [prefix, prefixEnd(prefix)] }
}

function afterOf({ order, descending }: FindShape, after: NonNullable<Find['after']>): Part {
  const marks = order.map(() => '?').join(', ')
  return {
    sql: `(${order.map(columnFor).join(', ')}) ${descending ? '<' : '>'} (${marks})`,
    values: [...after.values, after.id],
  }
}

function scalar(value: string | number | boolean): SqlValue {
  return typeof value === 'boolean' ? Number(value) : value
}

type Statements = (sql: string) => Statement

export interface RowReader {
  readonly get: (collection: Collection, id: string) => StoredDocument | undefined
  readonly find: (collection: Collection, find: Find) => readonly StoredDocument[]
  readonly load: (collection: Collection, ids: readonly string[]) => readonly LoadedDocument[]
}

/** Reads documents; `statement` prepares SQL, once. */
export function rowReader(statement: Statements): RowReader {
  const one = (collection: Collection, id: string): LoadedDocument | undefined => {
    const row = statement(selectOne(collection)).get(id)
    if (!row) return undefined
    const { position, body } = row
    return { id, position: Number(position), body: typeof body === 'string' ? parsed(body) : null }
  }
  return {
    get: (collection, id) => {
      const found = one(collection, id)
      return found?.body ? { id, position: found.position, body: found.body } : undefined
    },
    find: (collection, asked) => {
      const { sql, values } = findQuery(collection, asked)
      const select = statement(sql)
      select.setReturnArrays(true)
      // rows are arrays, whatever the type of the package says
      const rows = select.all(...values) as readonly unknown[] as readonly DocumentValues[]
      return rows.map(([id, position, body]) => ({ id, position, body: parsed(body) }))
    },
    load: (collection, ids) => {
      checkLoad(ids)
      return ids.flatMap((id) => one(collection, id) ?? [])
    },
  }
}

/** The values of `documentColumns`, in their order. */
type DocumentValues = readonly [id: string, position: number, body: string]

function selectOne(collection: Collection): string {
  return `SELECT position, body FROM ${tableOf(collection)} WHERE id = ?`
}

function parsed(body: string): DocumentBody {
  return JSON.parse(body) as DocumentBody
}
