/** Searches documents by field values and time range, with a limit of documents read per page. */

import type { Page } from '../../domain/call.ts'
import type { DocumentCollection } from '../../projections/running/projection.ts'
import type { DocumentQuery, FoundDocument, Readers } from './documents.ts'
import { findPage, type PageQuery } from './page.ts'

/** Documents that one question looks at. */
const scanMax = 1_000
/** Of them read in one step. */
const readAtOnce = 50

/** In which order of time, and between which times. */
export interface TimeRangeQuery {
  readonly order: 'newest' | 'oldest'
  /** Milliseconds since the Unix epoch, included. */
  readonly fromMs?: number
  /** The same, excluded. */
  readonly toMs?: number
}

/** The search that a caller asks for. */
export interface DocumentSearch<Document extends object> extends PageQuery, TimeRangeQuery {
  /** Fields with the value that each must have; the collection's index for the account alone must be among what they allow. */
  readonly equal: Equal<Document>
}

type Equal<Document> = Partial<Record<keyof Document & string, string>>

/**
 * The documents of a search from the cursor on. A page may have fewer than there are, even none, and yet a cursor: the limit of documents
 * read was reached. Throws `Failure` `invalid_request` for an invalid cursor of the search, `unavailable`.
 */
export async function searchPage<Document extends { readonly time: number }>(
  readers: Readers,
  collection: DocumentCollection<Document>,
  search: DocumentSearch<Document>,
): Promise<Page<FoundDocument<Document>>> {
  const { equal, order, fromMs, toMs, limit, cursor } = search
  const time = {
    ...(fromMs !== undefined && { gte: fromMs }),
    ...(toMs !== undefined && { lt: toMs }),
  }
  const where = {
    ...pickIndexed(collection, equal),
    ...(Object.keys(time).length > 0 && { time }),
  }
  const wanted = Object.entries(equal)
  return findPage(readers, collection, {
    // every field of it is one of the document
    where: where as DocumentQuery<Document>['where'],
    sort: [order === 'newest' ? '-time' : 'time'],
    ...{ limit, cursor, scanMax, readAtOnce },
    purpose: [order, ...wanted.flat()],
    isWanted: (body) => {
      const known = new Map<string, unknown>(Object.entries(body))
      return wanted.every(([field, value]) => known.get(field) === value)
    },
  })
}

/** Those of the values that an index by time begins with: the last declared one that they allow, which tells most. */
function pickIndexed<Document extends object>(
  { name, indexes }: DocumentCollection<Document>,
  equal: Equal<Document>,
): Readonly<Record<string, string>> {
  const known = new Map<string, unknown>(Object.entries(equal))
  for (const index of indexes.toReversed()) {
    const head = index.slice(0, -1)
    if (index.at(-1) !== 'time' || !head.every((field) => known.has(field))) continue
    return Object.fromEntries(head.map((field) => [field, String(known.get(field))]))
  }
  throw new Error(`collection ${name} has no index for a search by [${[...known.keys()]}]`)
}
