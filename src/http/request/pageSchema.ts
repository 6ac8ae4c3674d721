/** A page of a list, as it is answered. */

import type { Schema } from './schema.ts'

/** `plural` is the field under which the page lists its items. */
export function pageSchema(title: string, plural: string, items: Schema): Schema {
  return {
    title,
    type: 'object',
    properties: {
      [plural]: { type: 'array', items },
      next_cursor: { type: 'string', description: 'Absent on the last page.' },
    },
    required: [plural],
  }
}
