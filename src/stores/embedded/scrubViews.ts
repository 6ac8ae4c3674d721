/**
 * Whether every document of the read models is found by its id and by each of its indexes. They have no checksums: an entry that a disk
 * has changed hides a document from whoever asks for it, and nothing else would say so.
 */

import type { Collection } from '../readStore.ts'
import { fileRefusal, isDamage } from './databaseTrouble.ts'
import { columnOf, indexesOf, tableOf } from './readStoreTables.ts'
import { type ScrubOptions, scrubInPieces } from './scrubInPieces.ts'
import { type Database, openDatabase } from './sqlite.ts'

/** What was found first, if anything. */
export type ViewsScrubbed =
  | { readonly kind: 'whole' }
  | { readonly kind: 'damaged'; readonly message: string }
  /** It could not be found out, or `signal` was aborted before. */
  | { readonly kind: 'unknown'; readonly message?: string }

/** Rows looked at in one read, which takes some milliseconds. */
const pieceMax = 500

/** Looks at the read models as they are when each of them is come to, beside whoever writes them. Never rejects. */
export async function scrubViews(options: ScrubOptions): Promise<ViewsScrubbed> {
  const { file, signal } = options
  const wayOn = 'restart Vigil, which builds it again from the log'
  const damaged = (what: string): ViewsScrubbed => {
    const { message } = fileRefusal(file, `${what}; ${wayOn}`)
    return { kind: 'damaged', message }
  }
  try {
    const odd = await look(options)
    if (odd !== undefined) return damaged(odd)
    return signal.aborted ? { kind: 'unknown' } : { kind: 'whole' }
  } catch (error) {
    if (isDamage(error)) return damaged('the file is damaged')
    return { kind: 'unknown', message: error instanceof Error ? error.message : String(error) }
  }
}

async function look(options: ScrubOptions): Promise<string | undefined> {
  const database = openDatabase({ file: options.file, synchronous: 'NORMAL', readOnly: true })
  try {
    for (const collection of collectionsIn(database)) {
      if (collection.indexes.length === 0) continue
      const odd = await scrubInPieces(piecesOf(database, collection), options)
      if (odd !== undefined) return odd
    }
    return undefined
  } finally {
    database.close()
  }
}

function collectionsIn(database: Database): readonly Collection[] {
  return database
    .prepare('SELECT name, version, indexes FROM collections ORDER BY name, version')
    .all()
    .map(({ name, version, indexes }) => ({
      name: String(name),
      version: Number(version),
      indexes: JSON.parse(String(indexes)) as Collection['indexes'],
    }))
}

function* piecesOf(
  database: Database,
  collection: Collection,
): Generator<() => string | undefined> {
  const table = tableOf(collection)
  const hasRows = (): boolean => exists(database, 'table', table)
  if (!hasRows()) return
  const { last } = database.prepare(`SELECT max(rowid) AS last FROM ${table}`).get() ?? {}
  for (let after = 0; after < Number(last ?? 0); after += pieceMax) {
    yield () => {
      // a version that nobody reads any more may be dropped meanwhile
      if (!hasRows()) return undefined
      const sql = hiddenIn(database, collection)
      const hidden = database.prepare(sql).get(after, after + pieceMax)
      return hidden && `a document of ${collection.name} is not found by its indexes`
    }
  }
}

/** The first of some rows that one of the indexes lacks; those that are still to be made do not count. */
function hiddenIn(database: Database, collection: Collection): string {
  const table = tableOf(collection)
  const made = indexesOf(collection).filter(({ name }) => exists(database, 'index', name))
  const lacks = made.map(
    ({ name, fields }) => `NOT EXISTS (SELECT 1 FROM ${table} AS entry INDEXED BY ${name}
      WHERE ${fields.map((field) => `entry.${columnOf(field)} IS document.${columnOf(field)} AND `).join('')}
      entry.id = document.id AND entry.rowid = document.rowid)`,
  )
  lacks.push(
    `NOT EXISTS (SELECT 1 FROM ${table} AS entry WHERE entry.id = document.id AND entry.rowid + 0 = document.rowid)`,
  )
  return `SELECT 1 FROM ${table} AS document NOT INDEXED
    WHERE rowid > ? AND rowid <= ? AND (${lacks.join(' OR ')}) LIMIT 1`
}

function exists(database: Database, type: 'table' | 'index', name: string): boolean {
  return (
    database.prepare('SELECT 1 FROM sqlite_schema WHERE type = ? AND name = ?').get(type, name) !==
    undefined
  )
}
