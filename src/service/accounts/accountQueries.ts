/** The accounts of the installation, as its operator sees them. */

import { notFound } from '../../domain/failure.ts'
import { isoTime } from '../../domain/isoTime.ts'
import {
  type AccountView as AccountFound,
  findAccount,
  listAccounts,
} from '../../queries/accounts/accounts.ts'
import { reached } from '../opening/reached.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import type { AccountsPart, AccountView } from './accountsPart.ts'

/** The questions about accounts. */
export function openAccountQueries(
  context: ServiceContext,
): Pick<AccountsPart['accounts'], 'list' | 'get'> {
  return {
    list: async (_, { minPosition, ...page }) => {
      const position = await reached(context, minPosition)
      const found = await listAccounts(context, page)
      return { value: { ...found, items: found.items.map(viewOf) }, position }
    },
    get: async (_, id, { minPosition }) => {
      const position = await reached(context, minPosition)
      const found = await findAccount(context, id)
      if (!found) throw notFound()
      return { value: viewOf(found), position }
    },
  }
}

function viewOf({ id, opened_at, tokens, ...account }: AccountFound): AccountView {
  return {
    account_id: id,
    ...account,
    opened_at: isoTime(opened_at),
    tokens: tokens.map(({ issued_at, revoked_at, ...token }) => ({
      ...token,
      issued_at: isoTime(issued_at),
      ...(revoked_at !== undefined && { revoked_at: isoTime(revoked_at) }),
    })),
  }
}
