/** Lists and finds the accounts of the installation, for the operator. */

import { deriveSdkKey } from '../../auth/sdkKey.ts'
import type { Call, Page, PageRequest } from '../../domain/call.ts'
import { notFound } from '../../domain/failure.ts'
import {
  booleanSchema,
  openObject,
  optional,
  pageSchema,
  type TypeOf,
  text,
  timeSchema,
} from '../../domain/jsonSchema.ts'
import { sdkKeyOriginList } from '../../domain/network/webOrigin.ts'
import { type Principal, scopes } from '../../domain/principal.ts'
import { isoTime, withIsoTimes } from '../../domain/text/isoTime.ts'
import { type AccountDocument, accountCollection } from '../../projections/accounts/accounts.ts'
import {
  type FoundDocument,
  getDocument,
  type Readers,
} from '../../projections/running/documents.ts'
import { findPageByCreation } from '../reading/page.ts'
import type { HeavyContext, QueryContext } from '../reading/queryContext.ts'

const lastUsed = optional({
  ...timeSchema,
  description: 'Time of the first use in the hour of the last use; absent when never used.',
})
const operatorsName = optional({ type: 'string', description: 'Name given by the operator.' })

const accountTokenSchema = openObject('AccountToken', {
  token_id: text,
  scopes: { type: 'array', items: { type: 'string', enum: scopes } },
  name: operatorsName,
  issued_at: timeSchema,
  expires_at: optional({
    ...timeSchema,
    description: 'Expiry; absent when the token does not expire.',
  }),
  last_used_at: lastUsed,
  revoked_at: optional({ ...timeSchema, description: 'Absent while the token is active.' }),
})
/** A token as the operator sees it; its secret is not stored. */
export type AccountTokenView = TypeOf<typeof accountTokenSchema>

const accountSdkKeySchema = openObject('AccountSdkKey', {
  key_id: text,
  sdk_key: { type: 'string', description: 'Sent by front ends as `X-SDK-Key`; not a secret.' },
  name: operatorsName,
  origins: optional(sdkKeyOriginList),
  issued_at: timeSchema,
  last_used_at: lastUsed,
  revoked_at: optional({ ...timeSchema, description: 'Absent while the key is active.' }),
})
/** A public key of the account's front ends as the operator sees it. */
export type SdkKeyView = TypeOf<typeof accountSdkKeySchema>

export const accountSchema = openObject('AccountView', {
  account_id: text,
  name: text,
  opened_at: timeSchema,
  authoring: booleanSchema,
  management: booleanSchema,
  trusted_user: booleanSchema,
  custom_suffix: booleanSchema,
  tokens: {
    type: 'array',
    items: accountTokenSchema,
    description: 'Active tokens, and the last 100 revoked or expired ones, in the order of issue.',
  },
  sdk_keys: {
    type: 'array',
    items: accountSdkKeySchema,
    description: 'SDK keys: all active ones and the last 100 revoked ones.',
  },
})
/** An account as the operator sees it. */
export type AccountView = TypeOf<typeof accountSchema>

export const accountListSchema = pageSchema('AccountList', 'accounts', accountSchema)

/** In the order they were opened. */
export async function listAccounts(
  context: Pick<QueryContext, 'keyring'> &
    HeavyContext<{ listAccountDocuments: typeof listAccountDocuments }>,
  { principal }: Call<Principal>,
  page: PageRequest,
): Promise<Page<AccountView>> {
  const found = await context.heavyQueries.listAccountDocuments(principal, page)
  return { ...found, items: found.items.map((one) => toAccountView(context, one)) }
}

/** Throws `not_found`. */
export async function findAccount(
  context: Pick<QueryContext, 'documents' | 'projections' | 'keyring'>,
  { id }: { readonly id: string },
): Promise<AccountView> {
  const found = await getDocument(context, accountCollection, id)
  if (!found) throw notFound()
  return toAccountView(context, found)
}

/** Every account in the order they were opened. Throws `invalid_request` for an invalid cursor. */
export function listAccountDocuments(
  readers: Readers,
  asked: PageRequest,
): Promise<Page<FoundDocument<AccountDocument>>> {
  return findPageByCreation(readers, accountCollection, { where: {}, ...asked })
}

function toAccountView(
  { keyring }: Pick<QueryContext, 'keyring'>,
  { id, body }: FoundDocument<AccountDocument>,
): AccountView {
  const { made: _, opened_at, tokens, sdk_keys, ...account } = body
  return {
    account_id: id,
    ...account,
    opened_at: isoTime(opened_at),
    tokens: tokens.map((token) => withIsoTimes(token, times)),
    sdk_keys: sdk_keys.map((key) => {
      const sdk_key = deriveSdkKey({ accountId: id, keyId: key.key_id }, keyring.digest)
      return withIsoTimes({ ...key, sdk_key }, times)
    }),
  }
}

const times = ['issued_at', 'expires_at', 'last_used_at', 'revoked_at'] as const
