/** One page of a list. */

import type { Page } from '../../domain/call.ts'
import type { Collection, Find, StoredDocument } from '../../stores/readStore.ts'
import { cursorAfter, readCursor } from './cursor.ts'
import type { Readers } from './readers.ts'

export interface PageAsked {
  readonly cursor?: string
  /** From 1 to 999. */
  readonly limit: number
}

/**
 * The documents of a question from the cursor on. Throws `Failure` `invalid_request` for what is no cursor, `unavailable` when the
 * store does not answer.
 */
export async function findPage(
  { documents }: Pick<Readers, 'documents'>,
  collection: Collection,
  { cursor, limit, ...find }: Omit<Find, 'after'> & PageAsked,
): Promise<Page<StoredDocument>> {
  const fields = (find.sort ?? []).map((field) => field.replace(/^-/, ''))
  const found = await documents.find(collection, {
    ...find,
    // One more than asked for tells whether there is a next page.
    limit: limit + 1,
    ...(cursor === undefined ? {} : { after: readCursor(cursor, fields.length) }),
  })
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return found.length > limit && last ? { items, nextCursor: cursorAfter(last, fields) } : { items }
}
