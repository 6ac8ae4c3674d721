/** How the events of an account add up in memory. */

import { weightOf } from '../../domain/weightOf.ts'
import {
  type AccountEvent,
  type AccountState,
  evolveAccount,
  noAccount,
  trimAccount,
} from '../../events/accounts/account.ts'
import type { Family } from '../handling/family.ts'

export const accountFamily: Family<AccountState, AccountEvent> = {
  initial: () => noAccount,
  evolve: evolveAccount,
  trim: trimAccount,
  weigh: ({ tokens, sdkKeys }) =>
    tokens.size * tokenBytes + sdkKeys.size * sdkKeyBytes + originBytes(sdkKeys),
}

/** About what a token with a few scopes takes. */
const tokenBytes = weightOf({
  id: 'x'.repeat(30),
  hash: 'x'.repeat(64),
  scopes: ['eval', 'author', 'analyse'],
  revoked: false,
  expiresAt: 0,
})

const sdkKeyBytes = weightOf({ id: 'x'.repeat(30), revoked: false })

function originBytes(keys: AccountState['sdkKeys']): number {
  let bytes = 0
  for (const { origins } of keys.values()) if (origins) bytes += weightOf(origins)
  return bytes
}
