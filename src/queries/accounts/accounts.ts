/** Lists and finds the accounts of the installation, for the operator. */

import { sdkKeyText } from '../../auth/sdkKey.ts'
import type { Asking, Call, Page, PageRequest, Seen } from '../../domain/call.ts'
import { notFound } from '../../domain/failure.ts'
import type { Principal } from '../../domain/principal.ts'
import { isoTime, type WithIsoTimes } from '../../domain/text/isoTime.ts'
import { type AccountDocument, accountCollection } from '../../projections/accounts/accounts.ts'
import type { Made } from '../../projections/running/projection.ts'
import type { QueryContext } from '../reading/context.ts'
import { type Found, getDocument, type Readers } from '../reading/documents.ts'
import { findPageAsMade, type PageAsked } from '../reading/page.ts'
import { reached } from '../reading/reached.ts'

interface AccountFound extends Omit<AccountDocument, keyof Made> {
  readonly id: string
}

/** A token as the operator sees it; its secret is kept nowhere. */
export type AccountTokenView = WithIsoTimes<
  AccountFound['tokens'][number],
  'issued_at' | 'expires_at' | 'last_used_at' | 'revoked_at'
>

/** A public key of the account's front ends as the operator sees it. */
export interface SdkKeyView
  extends WithIsoTimes<
    AccountFound['sdk_keys'][number],
    'issued_at' | 'last_used_at' | 'revoked_at'
  > {
  /** What front ends send as `X-SDK-Key`. */
  readonly sdk_key: string
}

/** An account as the operator sees it. */
export interface AccountView
  extends Omit<WithIsoTimes<AccountFound, 'opened_at'>, 'id' | 'tokens' | 'sdk_keys'> {
  readonly account_id: string
  readonly tokens: readonly AccountTokenView[]
  readonly sdk_keys: readonly SdkKeyView[]
}

/** In the order they were opened. Throws `unavailable` when `minPosition` is not reached in time. */
export async function listAccounts(
  context: Pick<QueryContext, 'heavyReads' | 'projections' | 'keyring'>,
  { principal }: Call<Principal>,
  { minPosition, ...page }: PageRequest,
): Promise<Seen<Page<AccountView>>> {
  const position = await reached(context, minPosition)
  const found = await context.heavyReads.ask(principal, accountPage, page)
  return { value: { ...found, items: found.items.map(shownBy(context)) }, position }
}

/** Throws `not_found`, `unavailable` when `minPosition` is not reached in time. */
export async function findAccount(
  context: Pick<QueryContext, 'documents' | 'projections' | 'keyring'>,
  { id, minPosition }: Asking & { readonly id: string },
): Promise<Seen<AccountView>> {
  const position = await reached(context, minPosition)
  const found = await getDocument(context, accountCollection, id)
  if (!found) throw notFound()
  return { value: shownBy(context)(foundOf(found)), position }
}

/** Every account in the order they were opened. Throws `invalid_request` for an invalid cursor. */
export async function accountPage(readers: Readers, asked: PageAsked): Promise<Page<AccountFound>> {
  const page = await findPageAsMade(readers, accountCollection, { where: {}, ...asked })
  return { ...page, items: page.items.map(foundOf) }
}

function foundOf({ id, body: { made: _, ...said } }: Found<AccountDocument>): AccountFound {
  return { id, ...said }
}

function shownBy({ keyring }: Pick<QueryContext, 'keyring'>) {
  return ({ id, opened_at, tokens, sdk_keys, ...account }: AccountFound): AccountView => ({
    account_id: id,
    ...account,
    opened_at: isoTime(opened_at),
    tokens: tokens.map(tokenView),
    sdk_keys: sdk_keys.map((key) =>
      sdkKeyView(key, sdkKeyText({ accountId: id, keyId: key.key_id }, keyring.digest)),
    ),
  })
}

function sdkKeyView(
  { issued_at, last_used_at, revoked_at, ...key }: AccountFound['sdk_keys'][number],
  text: string,
): SdkKeyView {
  return {
    ...key,
    sdk_key: text,
    issued_at: isoTime(issued_at),
    ...(last_used_at !== undefined && { last_used_at: isoTime(last_used_at) }),
    ...(revoked_at !== undefined && { revoked_at: isoTime(revoked_at) }),
  }
}

function tokenView({
  issued_at,
  expires_at,
  last_used_at,
  revoked_at,
  ...token
}: AccountFound['tokens'][number]): AccountTokenView {
  return {
    ...token,
    issued_at: isoTime(issued_at),
    ...(expires_at !== undefined && { expires_at: isoTime(expires_at) }),
    ...(last_used_at !== undefined && { last_used_at: isoTime(last_used_at) }),
    ...(revoked_at !== undefined && { revoked_at: isoTime(revoked_at) }),
  }
}
