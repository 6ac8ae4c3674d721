/** An account as its operator sees it. */

import { scopes } from '../../domain/principal.ts'
import type {
  AccountTokenView,
  AccountView,
  SdkKeyView,
} from '../../service/accounts/accountsPart.ts'
import { optional, viewSchema } from '../request/fields.ts'
import { pageSchema } from '../request/pageSchema.ts'
import { type Schema, timeText } from '../request/schema.ts'
import { sdkKeyOriginsField } from './sdkKeySchemas.ts'

const lastUsed =
  'The first use within the hour of its last one; absent for one that was never used.'

const accountToken: Schema = viewSchema<AccountTokenView>('AccountToken', {
  token_id: { type: 'string' },
  scopes: { type: 'array', items: { type: 'string', enum: scopes } },
  name: optional({ type: 'string', description: 'What the operator called it.' }),
  issued_at: timeText,
  expires_at: optional({
    ...timeText,
    description: 'From when on it is refused; absent for one that does not expire.',
  }),
  last_used_at: optional({ ...timeText, description: lastUsed }),
  revoked_at: optional({ ...timeText, description: 'Absent while the token is in force.' }),
})

const accountSdkKey: Schema = viewSchema<SdkKeyView>('AccountSdkKey', {
  key_id: { type: 'string' },
  sdk_key: { type: 'string', description: 'What front ends send as `X-SDK-Key`; no secret.' },
  name: optional({ type: 'string', description: 'What the operator called it.' }),
  origins: optional(sdkKeyOriginsField),
  issued_at: timeText,
  last_used_at: optional({ ...timeText, description: lastUsed }),
  revoked_at: optional({ ...timeText, description: 'Absent while the key is in force.' }),
})

export const accountViewSchema: Schema = viewSchema<AccountView>('AccountView', {
  account_id: { type: 'string' },
  name: { type: 'string' },
  opened_at: timeText,
  authoring: { type: 'boolean' },
  management: { type: 'boolean' },
  trusted_user: { type: 'boolean' },
  custom_suffix: { type: 'boolean' },
  tokens: {
    type: 'array',
    items: accountToken,
    description:
      'Those in force, and the last 100 that were revoked or have expired; as they were issued.',
  },
  sdk_keys: {
    type: 'array',
    items: accountSdkKey,
    description: 'Of its front ends: those in force, and the last 100 that were revoked.',
  },
})

export const accountListSchema: Schema = pageSchema('AccountList', 'accounts', accountViewSchema)
