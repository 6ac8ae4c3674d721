/** How a collection is laid out in SQLite: the document as JSON, every indexed field as a column beside it. */

import type { Collection } from '../readStore.ts'
import type { Database } from './sqlite.ts'

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
export function columnOf(field: string): string {
  return `f_${checked(field)}`
}

/**
 * Makes the table of a collection when it is missing, without its indexes. Throws when it exists with other indexes: what is stored
 * has no columns for them, so a projection that needs others needs a new version.
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

/** Whether the table of a collection has no row, not even of a deleted document. */
export function isEmpty(database: Database, collection: Collection): boolean {
  return database.prepare(`SELECT 1 FROM ${tableOf(collection)} LIMIT 1`).get() === undefined
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
