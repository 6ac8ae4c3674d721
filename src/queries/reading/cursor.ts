/** Opaque cursors: where a list goes on. */

import { createHash } from 'node:crypto'
import { invalidRequest } from '../../domain/failure.ts'
import type { Find } from '../../stores/readStore.ts'
import type { Found } from './documents.ts'

type After = NonNullable<Find['after']>

const lengthMax = 512

/** What a cursor is of. */
export interface ListOrder {
  /** Of the list, as `listMark` makes it. */
  readonly mark: string
  /** The fields that the list is sorted by. */
  readonly fields: readonly string[]
}

/**
 * What tells a list from all others: its collection, the texts that every document of it has, and what it is for. Bounds that move, such as times, are
 * none of it.
 */
export function listMark(
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

/** Where the list goes on after this document. */
export function placeAfter({ id, body }: Found<object>, { fields }: ListOrder): After {
  const known = new Map<string, unknown>(Object.entries(body))
  // fields of an index hold nothing else
  return { id, values: fields.map((field) => known.get(field)) as After['values'] }
}

/** The cursor after this document of the list: base64url of the mark, the id and the values of the fields. */
export function cursorAfter(document: Found<object>, order: ListOrder): string {
  const { id, values } = placeAfter(document, order)
  return Buffer.from(JSON.stringify([order.mark, id, ...values])).toString('base64url')
}

/** Where the list goes on. Throws `Failure` `invalid_request` naming `cursor` for a text that this list has not answered. */
export function readCursor(cursor: string, { mark, fields }: ListOrder): After {
  const [of, id, ...values] = cursor.length > lengthMax ? [] : parsed(cursor)
  const known = values.every((value) => typeof value === 'string' || typeof value === 'number')
  if (of !== mark || typeof id !== 'string' || !known || values.length !== fields.length) {
    throw invalidRequest([{ path: 'cursor', message: 'is not a cursor of this list' }])
  }
  return { id, values: values as readonly (string | number)[] }
}

function parsed(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
