/** Declares the request schema of named lists. */

import type { ListInput } from '../../commands/lists/namedLists.ts'
import { listKinds } from '../../domain/lists/lists.ts'
import { optional } from '../../domain/schema.ts'
import { type Fields, inputSchema } from '../request/schema/fields.ts'

const descriptionMax = 500

/** A schema for each field. */
export const listFields = {
  name: {
    type: 'string',
    pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$',
    description: 'As rules write it. It stays, as does the kind.',
  },
  kind: { type: 'string', enum: listKinds, description: 'What stands on the list.' },
  description: optional({ type: 'string', minLength: 1, maxLength: descriptionMax }),
} satisfies Fields<ListInput>

export const listInput = inputSchema<ListInput>('ListInput', listFields)
