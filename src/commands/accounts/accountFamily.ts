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
  weigh: ({ tokens }) => tokens.size * tokenBytes,
  snapshot: {
    shape: 'account 2',
    take: ({ tokens, ...state }) => [{ ...state, tokens: [...tokens] }],
    build: () => {
      let state = noAccount
      return {
        add: (part) => {
          const { tokens, ...rest } = part as Kept
          state = { ...rest, tokens: new Map(tokens) }
        },
        state: () => state,
      }
    },
  },
}

/** An account as a snapshot keeps it. */
type Kept = Omit<AccountState, 'tokens'> & {
  readonly tokens: readonly (readonly [
    string,
    AccountState['tokens'] extends Map<string, infer Token> ? Token : never,
  ])[]
}

/** About what a token with a few scopes takes. */
const tokenBytes = weightOf({
  id: 'x'.repeat(30),
  hash: 'x'.repeat(64),
  scopes: ['eval', 'author', 'analyse'],
  revoked: false,
  expiresAt: 0,
})
