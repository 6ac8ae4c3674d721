/** Documents as they are read: each is checked against its checksum before anybody sees it. */

import { checkLoad } from '../findShape.ts'
import type {
  Collection,
  DocumentBody,
  Find,
  LoadedDocument,
  StoredDocument,
} from '../readStore.ts'
import type { FoundDocuments } from './findCache.ts'
import { documentColumns, findQuery, idRange } from './readStoreFind.ts'
import { isOneTree, tableOf } from './readStoreTables.ts'
import { ChangedRow, documentChecksum } from './rowChecksum.ts'
import type { Row, SqlValue, Statement } from './sqlite.ts'

type Statements = (sql: string) => Statement

export interface RowReader {
  readonly get: (collection: Collection, id: string) => StoredDocument | undefined
  readonly find: (collection: Collection, find: Find) => FoundDocuments
  readonly load: (collection: Collection, ids: readonly string[]) => readonly LoadedDocument[]
}

/** The values of `documentColumns`, in their order; of a file that has changed they may be anything. */
type DocumentValues = readonly [id: unknown, position: unknown, checksum: unknown, body: unknown]

interface Verified {
  readonly id: string
  readonly position: number
  /** Null of a deleted document. */
  readonly body: string | null
}

/** Reads what is there; `statement` prepares SQL, once. Each throws `ChangedRow` for what is not what was written. */
export function rowReader(statement: Statements): RowReader {
  const refuseChangedAround = neighbours(statement)
  const one = (collection: Collection, id: string): LoadedDocument | undefined => {
    const row = statement(selectOne(collection)).get(id)
    if (!row) {
      refuseChangedAround(collection, { before: id, behind: id, end: id })
      return undefined
    }
    const { position, checksum, body } = row
    return parsed(verified([id, position, checksum, body]))
  }
  return {
    get: (collection, id) => {
      const found = one(collection, id)
      return found && stored(found)
    },
    find: (collection, asked) => {
      const { sql, values } = findQuery(collection, asked)
      const found = foundIn(rowsOf(statement(sql), values))
      const { start = '', end } = idRange(asked)
      const isEnd = found.documents.length < asked.limit
      const behind = found.documents.at(-1)?.id ?? start
      refuseChangedAround(collection, { before: start, behind, end: (isEnd ? end : behind) ?? '' })
      return found
    },
    load: (collection, ids) => {
      checkLoad(ids)
      return ids.flatMap((id) => one(collection, id) ?? [])
    },
  }
}

interface Around {
  readonly before: string
  /** Where what was found ends. */
  readonly behind: string
  /** Where what was looked for ends. */
  readonly end: string
}

/**
 * A row whose id has changed lies beside where it is looked for, and may end a search too early. Where the documents lie in the tree of
 * their ids, those around what was found are checked with it.
 */
function neighbours(statement: Statements) {
  return (collection: Collection, { before, behind, end }: Around): void => {
    if (!isOneTree(collection)) return
    const sql = selectAround(collection)
    for (const row of rowsOf(statement(sql), [before, behind, end])) verified(row)
  }
}

/** By `+` the rows are gone through from where the others end: looked up, the end might be found behind the one that has changed. */
function selectAround(collection: Collection): string {
  const select = `SELECT ${documentColumns} FROM ${tableOf(collection)}`
  return `SELECT * FROM (${select} WHERE id < ?1 ORDER BY id DESC LIMIT 1)
    UNION ALL SELECT * FROM (${select} WHERE id > ?2 AND +id >= ?3 ORDER BY id LIMIT 1)`
}

function selectOne(collection: Collection): string {
  return `SELECT position, checksum, body FROM ${tableOf(collection)} WHERE id = ?`
}

function rowsOf(select: Statement, values: readonly SqlValue[]): readonly DocumentValues[] {
  select.setReturnArrays?.(true)
  const rows: readonly (Row | readonly SqlValue[])[] = select.all(...values)
  // Node before 22.16 has only objects
  const arrays = rows.map((row) => (Array.isArray(row) ? row : Object.values(row)))
  return arrays as readonly unknown[] as readonly DocumentValues[]
}

function foundIn(rows: readonly DocumentValues[]): FoundDocuments {
  let chars = 0
  const documents = rows.map((row) => {
    const { id, position, body } = verified(row)
    // a question leaves out those that are deleted
    if (body === null) throw changed()
    chars += id.length + body.length
    return { id, position, body: JSON.parse(body) as DocumentBody }
  })
  return { documents, chars }
}

function verified([id, position, checksum, body]: DocumentValues): Verified {
  const isText = typeof id === 'string' && (typeof body === 'string' || body === null)
  if (isText && typeof position === 'number') {
    const row = { id, position, body }
    if (documentChecksum(row) === checksum) return row
  }
  throw changed()
}

function changed(): ChangedRow {
  return new ChangedRow('a document has changed since it was written')
}

function parsed({ id, position, body }: Verified): LoadedDocument {
  return { id, position, body: body === null ? null : (JSON.parse(body) as DocumentBody) }
}

function stored({ id, position, body }: LoadedDocument): StoredDocument | undefined {
  return body === null ? undefined : { id, position, body }
}
