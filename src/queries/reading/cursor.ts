/** Opaque cursors: where a list goes on. */

import { invalidRequest } from '../../domain/failure.ts'
import type { Find } from '../../stores/readStore.ts'
import type { Found } from './documents.ts'

type After = NonNullable<Find['after']>

const lengthMax = 512

/** The cursor after this document of a list sorted by these fields: base64url of the id and the fields' values. */
export function cursorAfter({ id, body }: Found<object>, fields: readonly string[] = []): string {
  const values = new Map<string, unknown>(Object.entries(body))
  return Buffer.from(JSON.stringify([id, ...fields.map((field) => values.get(field))])).toString(
    'base64url',
  )
}

/**
 * Where a list sorted by `fields` fields goes on. Throws `Failure` `invalid_request` naming `cursor` for a text that no such list
 * has answered; whether it was this one is not checked, since it leads to nothing that the asker may not see.
 */
export function readCursor(cursor: string, fields = 0): After {
  const [id, ...values] = cursor.length > lengthMax ? [] : parsed(cursor)
  const known = values.every((value) => typeof value === 'string' || typeof value === 'number')
  if (typeof id !== 'string' || !known || values.length !== fields) {
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
