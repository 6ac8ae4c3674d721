/** What the operator sends and is answered. */

import type { Access, AccountInput, AccountView } from '../../service/accounts/accountsPart.ts'
import { type Fields, inputSchema, optionalFields, viewSchema } from '../request/fields.ts'
import { limits, type Schema } from '../request/schema.ts'

const access = {
  authoring: { type: 'boolean' },
  management: { type: 'boolean' },
  trusted_user: { type: 'boolean' },
  custom_suffix: { type: 'boolean' },
} satisfies Fields<Access>

export const accountInputSchema: Schema = inputSchema<AccountInput>('AccountInput', {
  name: { type: 'string', minLength: 1, maxLength: limits.name },
})

export const accountSchema: Schema = viewSchema<Pick<AccountView, 'account_id'>>('Account', {
  account_id: { type: 'string' },
})

export const accessInputSchema: Schema = inputSchema<Partial<Access>>(
  'AccessInput',
  optionalFields(access),
  { description: 'What is left out stays as it is.', minProperties: 1 },
)

export const accessSchema: Schema = viewSchema<Access>('Access', access)
