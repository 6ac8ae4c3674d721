/** An account as its operator sees it. */

import { scopes } from '../../domain/principal.ts'
import { answeredObject, type Schema } from '../request/schema.ts'

const time: Schema = { type: 'string', description: 'ISO 8601, UTC.' }

const accountToken: Schema = answeredObject(
  'AccountToken',
  {
    token_id: { type: 'string' },
    scopes: { type: 'array', items: { type: 'string', enum: scopes } },
    issued_at: time,
    revoked_at: { ...time, description: 'Absent while the token is in force.' },
  },
  ['token_id', 'scopes', 'issued_at'],
)

export const accountViewSchema: Schema = answeredObject('AccountView', {
  account_id: { type: 'string' },
  name: { type: 'string' },
  opened_at: time,
  authoring: { type: 'boolean' },
  management: { type: 'boolean' },
  trusted_user: { type: 'boolean' },
  tokens: { type: 'array', items: accountToken },
})

export const accountListSchema: Schema = answeredObject(
  'AccountList',
  {
    accounts: { type: 'array', items: accountViewSchema },
    next_cursor: { type: 'string', description: 'Absent on the last page.' },
  },
  ['accounts'],
)
