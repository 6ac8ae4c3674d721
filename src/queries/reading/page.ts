/** One page of a list. */

import type { Page } from '../../domain/call.ts'
import type { Made } from '../../projections/running/made.ts'
import type { DocumentCollection } from '../../projections/running/projection.ts'
import { cursorAfter, type ListOrder, listMark, placeAfter, readCursor } from './cursor.ts'
import { type Found, findDocuments, type Question } from './documents.ts'
import { isNewest, type Readers } from './readers.ts'

export interface PageAsked {
  readonly cursor?: string
  /** From 1 to 999. */
  readonly limit: number
}

interface ForPurpose {
  /** What the pages are for, beside the documents: a cursor of the same list for something else is refused. */
  readonly purpose?: readonly string[]
}

/**
 * The documents of a question from the cursor on. Throws `Failure` `invalid_request` for what is no cursor, `unavailable` when the
 * store does not answer.
 */
export async function findPage<Document extends object>(
  readers: Readers,
  collection: DocumentCollection<Document>,
  {
    cursor,
    limit,
    purpose,
    ...question
  }: Omit<Question<Document>, 'after'> & PageAsked & ForPurpose,
): Promise<Page<Found<Document>>> {
  const order = orderOf(collection, question, purpose)
  const found = await findDocuments(readers, collection, {
    ...question,
    // One more than asked for tells whether there is a next page.
    limit: limit + 1,
    ...(cursor === undefined ? {} : { after: readCursor(cursor, order) }),
  })
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return found.length > limit && last ? { items, nextCursor: cursorAfter(last, order) } : { items }
}

/** What a cursor of the question's list is of. */
export function orderOf<Document extends object>(
  { name }: DocumentCollection<Document>,
  { where, sort = [] }: Pick<Question<Document>, 'where' | 'sort'>,
  purpose: readonly string[] = [],
): ListOrder {
  const fields = sort.map((field) => field.replace(/^-/, ''))
  return { mark: listMark(name, where, purpose), fields }
}

/** Length of the documents of a page as JSON: the one that passes it is the last. */
const pageLength = 1024 * 1024
/** Documents read before it is known how long they are. */
const firstRead = 16

/**
 * The same in the order in which things were made, and of few documents when they are long: an answer is to hold nobody up. While
 * readers use documents of a version that does not say when they were made, the order is by id; a cursor of the one order is refused by
 * the other.
 */
export async function findPageAsMade<Document extends Made>(
  readers: Readers,
  collection: DocumentCollection<Document>,
  { cursor, limit, ...question }: Omit<Question<Document>, 'after' | 'sort'> & PageAsked,
): Promise<Page<Found<Document>>> {
  const sort = isNewest(readers, collection) ? (['made'] as const) : []
  const order = orderOf(collection, { ...question, sort })
  const page = openPage<Found<Document>>(limit)
  let after = cursor === undefined ? undefined : readCursor(cursor, order)
  for (let read = Math.min(limit + 1, firstRead); ; read = page.fitting() + 1) {
    const asked = { ...question, sort, limit: read, ...(after && { after }) }
    const found = await findDocuments(readers, collection, asked)
    const isCut = found.some((document) => !page.add(document, document.body))
    const last = page.items.at(-1)
    if (isCut && last) return { items: page.items, nextCursor: cursorAfter(last, order) }
    if (!last || found.length < read) return { items: page.items }
    after = placeAfter(last, order)
  }
}

/** A page that is filled until it holds so many items, or is long enough. */
export function openPage<Item>(limit: number) {
  const items: Item[] = []
  let length = 0
  return {
    items: items as readonly Item[],
    /** Adds the item, whose content is as long as its JSON text; false when the page is full. The first one always fits. */
    add: (item: Item, content: object): boolean => {
      if (items.length === limit || length >= pageLength) return false
      items.push(item)
      length += JSON.stringify(content).length
      return true
    },
    /** How many more are likely to fit. */
    fitting: (): number => {
      const left = Math.max(0, pageLength - length)
      return Math.min(limit - items.length, Math.ceil((left * items.length) / Math.max(1, length)))
    },
  }
}
