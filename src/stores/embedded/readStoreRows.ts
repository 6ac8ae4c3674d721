/** Documents as they are read. */

import { checkLoad } from '../findShape.ts'
import type {
  Collection,
  DocumentBody,
  Find,
  LoadedDocument,
  StoredDocument,
} from '../readStore.ts'
import { findQuery } from './readStoreFind.ts'
import { tableOf } from './readStoreTables.ts'
import type { Statement } from './sqlite.ts'

type Statements = (sql: string) => Statement

export interface RowReader {
  readonly get: (collection: Collection, id: string) => StoredDocument | undefined
  readonly find: (collection: Collection, find: Find) => readonly StoredDocument[]
  readonly load: (collection: Collection, ids: readonly string[]) => readonly LoadedDocument[]
}

/** Reads what is there; `statement` prepares SQL, once. */
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
