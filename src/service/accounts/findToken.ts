/** The token behind its id, also one that another instance has issued a moment ago. */

import type { ApiTokenParts } from '../../auth/apiToken.ts'
import type { AccountState } from '../../events/accounts/account.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { openFindIssued } from './findIssued.ts'

type Token = AccountState['tokens'] extends ReadonlyMap<string, infer One> ? One : never

/** Throws `unavailable` when too many unknown tokens are looked for, and when the log cannot be read. */
export function openFindToken(
  context: Pick<ServiceContext, 'accounts' | 'clock'>,
): (
  parts: Pick<ApiTokenParts, 'accountId' | 'tokenId'>,
) => Token | undefined | Promise<Token | undefined> {
  const find = openFindIssued(context, {
    in: ({ tokens }) => tokens,
    called: 'API tokens',
    perSecondMax: 2_000,
  })
  return ({ accountId, tokenId }) => find({ accountId, id: tokenId })
}
