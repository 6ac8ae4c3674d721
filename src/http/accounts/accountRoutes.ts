/** Routes the operator's account list and single accounts. */

import { idPrefixes } from '../../domain/ids.ts'
import { scopes } from '../../domain/principal.ts'
import { optional, pageSchema, type Schema, timeText } from '../../domain/schema.ts'
import {
  type AccountTokenView,
  type AccountView,
  findAccount,
  listAccounts,
  type SdkKeyView,
} from '../../queries/accounts/accounts.ts'
import { seen, seenPage } from '../request/answer.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { askingQuery, pageQuery } from '../request/queryReader.ts'
import { operatorAccess, type Route, type Served } from '../request/route.ts'
import { viewSchema } from '../request/schema/fields.ts'
import { sdkKeyOriginsField } from './sdkKeyRoutes.ts'

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

const accountViewSchema: Schema = viewSchema<AccountView>('AccountView', {
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

const accountListSchema: Schema = pageSchema('AccountList', 'accounts', accountViewSchema)

/** `GET /v2/operator/accounts` and one of them. */
export function accountRoutes({ authenticate, context }: Served): readonly Route[] {
  const common = {
    method: 'GET',
    tag: 'Operator',
    kind: 'read',
    access: operatorAccess(authenticate),
    failures: [],
  } as const
  return [
    defineRoute({
      ...common,
      path: '/v2/operator/accounts',
      operationId: 'listAccounts',
      summary: 'List the accounts, in the order they were opened',
      query: pageQuery,
      answers: { 200: { description: 'One page of accounts.', schema: accountListSchema } },
      serve: async ({ call, query }) =>
        seenPage('accounts', await listAccounts(context, call, query)),
    }),
    defineRoute({
      ...common,
      path: '/v2/operator/accounts/{account_id}',
      operationId: 'getAccount',
      summary: 'Retrieve an account',
      ids: { account_id: idPrefixes.account },
      query: askingQuery,
      answers: { 200: { description: 'The account.', schema: accountViewSchema } },
      serve: async ({ ids, query }) =>
        seen(await findAccount(context, { id: ids.account_id, ...query })),
    }),
  ]
}
