/** One page of a list. */

import type { Page } from '../../domain/call.ts'
import type { Made } from '../../projections/running/made.ts'
import type { DocumentCollection } from '../../projections/running/projection.ts'
import { cursorAfter, listMark, readCursor } from './cursor.ts'
import { type Found, findDocuments, type Question } from './documents.ts'
import { isNewest, type Readers } from './readers.ts'

export interface PageAsked {
  readonly cursor?: string
  /** From 1 to 999. */
  readonly limit: number
}

/**
 * The documents of a question from the cursor on. Throws `Failure` `invalid_request` for what is no cursor, `unavailable` when the
 * store does not answer.
 */
export async function findPage<Document extends object>(
  readers: Readers,
  collection: DocumentCollection<Document>,
  { cursor, limit, ...question }: Omit<Question<Document>, 'after'> & PageAsked,
): Promise<Page<Found<Document>>> {
  const fields = (question.sort ?? []).map((field) => field.replace(/^-/, ''))
  const order = { mark: listMark(collection.name, question.where), fields }
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

/**
 * The same in the order in which things were made. While readers use documents of a version that does not say when, the order is by id;
 * a cursor of the one order is refused by the other.
 */
export function findPageAsMade<Document extends Made>(
  readers: Readers,
  collection: DocumentCollection<Document>,
  question: Omit<Question<Document>, 'after' | 'sort'> & PageAsked,
): Promise<Page<Found<Document>>> {
  const sort = isNewest(readers, collection) ? (['made'] as const) : []
  return findPage(readers, collection, { ...question, sort })
}
