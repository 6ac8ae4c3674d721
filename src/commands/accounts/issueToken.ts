/** Issues and revokes the API tokens of an account. */

import { Failure } from '../../domain/failure.ts'
import type { Scope } from '../../domain/principal.ts'
import type { AccountEvent, AccountState } from '../../events/accounts/account.ts'

/** How many tokens of an account may be in force at once. */
const tokensMax = 1_000

interface IssueTokenInput {
  readonly tokenId: string
  readonly hash: string
  readonly scopes: readonly Scope[]
}

/** The decision: only the hash of the token is kept. Throws `not_found`, `conflict` when the account has too many. */
export function issueToken(input: IssueTokenInput) {
  return (state: AccountState): readonly AccountEvent[] => {
    if (!state.opened) throw new Failure('not_found', 'There is no such account.')
    const inForce = [...state.tokens.values()].filter((token) => !token.revoked).length
    if (inForce >= tokensMax) {
      throw new Failure('conflict', `An account has at most ${tokensMax} tokens; revoke one first.`)
    }
    const { tokenId, hash } = input
    const scopes = [...new Set(input.scopes)]
    return [{ type: 'ApiTokenIssued', data: { token_id: tokenId, hash, scopes } }]
  }
}

/**
 * The decision: revoking a token again changes nothing. Throws `not_found` for an unknown account and for a token that it never
 * had: whoever revokes a token under the wrong account must not believe it dead.
 */
export function revokeToken(tokenId: string) {
  return (state: AccountState): readonly AccountEvent[] => {
    if (!state.opened) throw new Failure('not_found', 'There is no such account.')
    const token = state.tokens.get(tokenId)
    if (!token) throw new Failure('not_found', 'The account has no such token.')
    if (token.revoked) return []
    return [{ type: 'ApiTokenRevoked', data: { token_id: tokenId } }]
  }
}
