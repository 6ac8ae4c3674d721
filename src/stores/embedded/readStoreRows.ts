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

/** The values of `documentColumns`, in their order, as far as the file is what was written. */
type DocumentValues = readonly [
  id: SqlValue,
  position: SqlValue,
  checksum: SqlValue,
  body: SqlValue,
]

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
    return parsed(verified([id, position ?? null, checksum ?? null, body ?? null]))
  }
  return {
    get: (collection, id) => {
      const found = one(collection, id)
      return found && stored(found)
    },
    find: (collection, find) => {
      const { sql, values } = findQuery(collection, find)
      const rows = rowsOf(statement(sql), values).map(verified)
      const { start = '', end } = idRange(find)
      refuseChangedAround(collection, {
        before: start,
        behind: rows.at(-1)?.id ?? start,
        end: rows.length < find.limit ? end : undefined,
      })
      return {
        documents: rows.flatMap((row) => stored(parsed(row)) ?? []),
        chars: rows.reduce((sum, { id, body }) => sum + id.length + (body?.length ?? 0), 0),
      }
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
  /** Where what was looked for ends; undefined when it was not reached. */
  readonly end: string | undefined
}

/**
 * A row whose id has changed lies beside where it is looked for, and may end a search too early. Where the ids are the tree that holds the
 * documents, so are the rows around what was found checked.
 */
function neighbours(statement: Statements) {
  const refuseChanged = (sql: string, values: readonly SqlValue[]): void => {
    for (const row of rowsOf(statement(sql), values)) verified(row)
  }
  return (collection: Collection, { before, behind, end }: Around): void => {
    if (!isOneTree(collection)) return
    const select = `SELECT ${documentColumns} FROM ${tableOf(collection)}`
    refuseChanged(`${select} WHERE id < ? ORDER BY id DESC LIMIT 1`, [before])
    if (end === undefined) return
    // by `+` the rows are gone through from where the others end: looked up, the end might be found behind the changed one
    refuseChanged(`${select} WHERE id > ? AND +id >= ? ORDER BY id LIMIT 1`, [behind, end])
  }
}

function selectOne(collection: Collection): string {
  return `SELECT position, checksum, body FROM ${tableOf(collection)} WHERE id = ?`
}

function rowsOf(select: Statement, values: readonly SqlValue[]): readonly DocumentValues[] {
  select.setReturnArrays?.(true)
  const rows: readonly (Row | readonly SqlValue[])[] = select.all(...values)
  // Node before 22.16 has only objects
  return rows.map((row) =>
    Array.isArray(row) ? row : Object.values(row),
  ) as unknown as readonly DocumentValues[]
}

function verified([id, position, checksum, body]: DocumentValues): Verified {
  const isText = typeof id === 'string' && (typeof body === 'string' || body === null)
  if (isText && typeof position === 'number') {
    const row = { id, position, body }
    if (documentChecksum(row) === checksum) return row
  }
  throw new ChangedRow('a document has changed since it was written')
}

function parsed({ id, position, body }: Verified): LoadedDocument {
  return { id, position, body: body === null ? null : (JSON.parse(body) as DocumentBody) }
}

function stored({ id, position, body }: LoadedDocument): StoredDocument | undefined {
  return body === null ? undefined : { id, position, body }
}
