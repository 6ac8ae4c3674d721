/** Reads pages of documents in order or by a search, and encodes and validates their cursors. */

import { createHash } from 'node:crypto'
import type { Page, PageRequest } from '../../domain/call.ts'
import { invalidRequest } from '../../domain/failure.ts'
import {
  type After,
  type DocumentQuery,
  type DocumentReading,
  type FoundDocument,
  fixEnd,
  listSortFields,
  type Readers,
  readDocumentPages,
  toAfter,
} from '../../projections/running/documents.ts'
import type { CreatedPosition, DocumentCollection } from '../../projections/running/projection.ts'

const cursorLengthMax = 512

type Question<Document> = Pick<DocumentQuery<Document>, 'where' | 'sort'>
type SortedQuestion<Document> = Question<Document> & Required<Pick<Question<Document>, 'sort'>>

interface PageSearch<Document extends object>
  extends SortedQuestion<Document>,
    Omit<DocumentScan<Document>, 'question' | 'after' | 'readAtOnce'> {
  readonly cursor?: string | undefined
  readonly readAtOnce?: number
  /** What the pages are for, beside the documents: a cursor of the same list for something else is refused. */
  readonly purpose?: readonly string[]
}

/**
 * The documents of a question from the cursor on; few when they are long. Sorted by a position, which no document
 * changes and later ones have a greater one of, it reads up to the end that is fixed now, or that another instance had
 * fixed further on; by time, to the end of the first page, by their positions `at`. Throws `Failure` `invalid_request`
 * for an invalid cursor, `unavailable` when the store does not answer.
 */
export async function findPage<Document extends object>(
  readers: Readers,
  collection: DocumentCollection<Document>,
  { where, sort, cursor, purpose, isWanted, ...scan }: PageSearch<Document>,
): Promise<Page<FoundDocument<Document>>> {
  const now = fixEnd(readers, [collection])
  const order = buildCursorScope(collection, { where, sort }, purpose)
  const [sortedBy = ''] = order.fields
  const isByTime = sortedBy === 'time'
  const { id = '', values = [] } = cursor === undefined ? {} : decodeCursor(cursor, order)
  const before = Number(values[sort.length] ?? now)
  const end = isByTime ? before : Math.max(before, now)
  const bounded = isByTime ? where : { ...where, [sortedBy]: { lte: end } }
  const { items, last, isAll } = await scanDocuments(readers, collection, {
    question: { where: bounded, sort },
    after: id === '' ? undefined : { id, values: values.slice(0, sort.length) },
    // one more than asked for tells whether there is a next page
    readAtOnce: scan.limit + 1,
    ...scan,
    isWanted: (body) =>
      !(isByTime && Number(Reflect.get(body, 'at')) > end) && (isWanted?.(body) ?? true),
  })
  if (isAll || !last) return { items }
  return { items, nextCursor: encodeCursor({ ...last, body: { ...last.body, end } }, order) }
}

/** What a cursor of the question's list is of. */
export function buildCursorScope<Document extends object>(
  { name }: DocumentCollection<Document>,
  question: Question<Document>,
  purpose: readonly string[] = [],
): CursorScope {
  const mark = computeListDigest(name, question.where, purpose)
  return { mark, fields: [...listSortFields(question), 'end'] }
}

/** Length of the documents of a page as JSON: the one that passes it is the last. */
const pageLength = 1024 * 1024
/** Documents read in one step, which may be long. */
const readAtOnce = 16

/** A page in the order of creation, of which few are read at a time, so that an answer delays no other. */
export function findPageByCreation<Document extends CreatedPosition>(
  readers: Readers,
  collection: DocumentCollection<Document>,
  asked: Pick<DocumentQuery<Document>, 'where'> & PageRequest,
): Promise<Page<FoundDocument<Document>>> {
  return findPage(readers, collection, { ...asked, sort: ['made'], readAtOnce })
}

/** Documents that one search looks at. */
const searchedMax = 1_000
/** Of them read in one step. */
const searchedAtOnce = 50

/** In which order of time, and between which times. */
export interface TimeRangeQuery {
  readonly order: 'newest' | 'oldest'
  /** Milliseconds since the Unix epoch, included. */
  readonly fromMs?: number
  /** The same, excluded. */
  readonly toMs?: number
}

export interface DocumentSearch<Document extends object> extends PageRequest, TimeRangeQuery {
  /** Fields with the value each must have; the collection's index for the account must be among what they allow. */
  readonly equal: Equal<Document>
}

type Equal<Document> = Partial<Record<keyof Document & string, string>>

/**
 * The documents of a search from the cursor on. A page may have fewer than there are, even none, and yet a cursor: the
 * limit of documents read was reached. Throws `Failure` `invalid_request` for an invalid cursor of the search,
 * `unavailable`.
 */
export async function searchPage<Document extends { readonly time: number; readonly at: number }>(
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
    limit,
    cursor,
    scanMax: searchedMax,
    readAtOnce: searchedAtOnce,
    purpose: [order, ...wanted.flat()],
    isWanted: (body) => wanted.every(([field, value]) => Reflect.get(body, field) === value),
  })
}

/** Those of the values that an index by time begins with: the last declared one that they allow, which tells most. */
function pickIndexed<Document extends object>(
  { name, indexes }: DocumentCollection<Document>,
  equal: object,
): Readonly<Record<string, string>> {
  const index = indexes.findLast(
    (fields) => fields.at(-1) === 'time' && fields.slice(0, -1).every((field) => field in equal),
  )
  if (!index) {
    throw new Error(`collection ${name} has no index for a search by [${Object.keys(equal)}]`)
  }
  return Object.fromEntries(index.slice(0, -1).map((field) => [field, Reflect.get(equal, field)]))
}

/** Which documents are read in order, and which of them are taken. */
interface DocumentScan<Document extends object> extends DocumentReading<Document> {
  /** All unless given. */
  readonly isWanted?: (document: Document) => boolean
  /** Documents that are read, wanted or not; no limit unless given. */
  readonly scanMax?: number
  readonly limit: number
}

interface ScanResult<Document extends object> {
  readonly items: readonly FoundDocument<Document>[]
  /** The last that was looked at. */
  readonly last: FoundDocument<Document> | undefined
  /** Whether there are none behind the last. */
  readonly isAll: boolean
}

/** Reads documents step by step until enough are taken or they are long enough for an answer. */
export async function scanDocuments<Document extends object>(
  readers: Readers,
  collection: DocumentCollection<Document>,
  { isWanted, limit, scanMax = Number.POSITIVE_INFINITY, ...scan }: DocumentScan<Document>,
): Promise<ScanResult<Document>> {
  const { add, items } = createPageBuilder<FoundDocument<Document>>(limit)
  const reading = { ...scan, readAtOnce: Math.min(scan.readAtOnce, scanMax) }
  let looked = 0
  let last: FoundDocument<Document> | undefined
  for await (const found of readDocumentPages(readers, collection, reading)) {
    for (const document of found) {
      const isTaken = isWanted?.(document.body) ?? true
      if (isTaken && !add(document, document.body)) return { items, last, isAll: false }
      last = document
    }
    looked += found.length
    if (looked >= scanMax) return { items, last, isAll: false }
  }
  return { items, last, isAll: true }
}

/** A page that is filled until it holds so many items, or is long enough. */
export function createPageBuilder<Item>(limit: number) {
  const items: Item[] = []
  let length = 0
  return {
    items: items as readonly Item[],
    /** Adds the item, whose content is as long as its JSON text; false when the page is full. The first one fits. */
    add: (item: Item, content: object): boolean => {
      if (items.length === limit || length >= pageLength) return false
      items.push(item)
      length += JSON.stringify(content).length
      return true
    },
  }
}

/** What a cursor is of. */
export interface CursorScope {
  /** Of the list, as `computeListDigest` makes it. */
  readonly mark: string
  /** The fields that the list is sorted by. */
  readonly fields: readonly string[]
}

/**
 * What tells a list from all others: its collection, the texts that every document of it has, and what it is for.
 * Bounds that move, such as times, are none of it.
 */
export function computeListDigest(
  collection: string,
  where: Readonly<Record<string, unknown>>,
  purpose: readonly string[] = [],
): string {
  const texts = Object.entries(where).filter(([, value]) => typeof value === 'string')
  return createHash('sha256')
    .update(JSON.stringify([collection, ...texts, ...purpose]))
    .digest('base64url')
    .slice(0, 12)
}

/** The cursor after this document of the list: base64url of the mark, the id and the values of the fields. */
export function encodeCursor(document: FoundDocument<object>, order: CursorScope): string {
  const { id, values } = toAfter(document, order.fields)
  return Buffer.from(JSON.stringify([order.mark, id, ...values])).toString('base64url')
}

/** Where the list goes on. Throws `Failure` `invalid_request` naming `cursor` for one that this list did not make. */
export function decodeCursor(cursor: string, { mark, fields }: CursorScope): After {
  const [of, id, ...values] = cursor.length > cursorLengthMax ? [] : parseCursor(cursor)
  const known = values.every((value) => typeof value === 'string' || typeof value === 'number')
  if (of !== mark || typeof id !== 'string' || !known || values.length !== fields.length) {
    throw invalidRequest([{ path: 'cursor', message: 'is not a cursor of this list' }])
  }
  return { id, values: values as readonly (string | number)[] }
}

function parseCursor(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
