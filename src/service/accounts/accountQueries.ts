/** The accounts of the installation, as its operator sees them. */

import { sdkKeyText } from '../../auth/sdkKey.ts'
import { notFound } from '../../domain/failure.ts'
import { isoTime } from '../../domain/isoTime.ts'
import { type AccountView as AccountFound, findAccount } from '../../queries/accounts/accounts.ts'
import { reached } from '../../queries/reading/reached.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import type { AccountsPart, AccountTokenView, AccountView, SdkKeyView } from './accountsPart.ts'

/** The questions about accounts. */
export function openAccountQueries(
  context: ServiceContext,
): Pick<AccountsPart['accounts'], 'list' | 'get'> {
  return {
    list: async ({ principal }, { minPosition, ...page }) => {
      const position = await reached(context, minPosition)
      const found = await context.heavyReads.ask(principal, 'listAccounts', page)
      return { value: { ...found, items: found.items.map(viewOf(context)) }, position }
    },
    get: async (_, id, { minPosition }) => {
      const position = await reached(context, minPosition)
      const found = await findAccount(context, id)
      if (!found) throw notFound()
      return { value: viewOf(context)(found), position }
    },
  }
}

function viewOf({ keyring }: Pick<ServiceContext, 'keyring'>) {
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
