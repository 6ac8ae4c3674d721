/** Issues and revokes the API tokens of an account. */

import { Failure, invalidRequest } from '../../domain/failure.ts'
import type { Scope } from '../../domain/principal.ts'
import { type AccountEvent, type AccountState, isInForce } from '../../events/accounts/account.ts'

/** How many tokens of an account may be in force at once. */
const tokensMax = 1_000

/** How far ahead the end of a token may lie. */
const lifetimeMaxMs = 10 * 365 * 24 * 60 * 60 * 1_000

interface IssueTokenInput {
  readonly tokenId: string
  readonly hash: string
  readonly scopes: readonly Scope[]
  readonly name?: string
  /** In milliseconds since the Unix epoch; undefined for a token that does not expire. */
  readonly expiresAtMs?: number
}

/**
 * The decision: only the hash of the token is kept. Throws `not_found`, `conflict` when the account has too many in force,
 * `invalid_request` for an end that is not ahead, or too far.
 */
export function issueToken(input: IssueTokenInput, nowMs: number) {
  return (state: AccountState): readonly AccountEvent[] => {
    if (!state.opened) throw new Failure('not_found', 'There is no such account.')
    const inForce = [...state.tokens.values()].filter((token) => isInForce(token, nowMs)).length
    if (inForce >= tokensMax) {
      throw new Failure('conflict', `An account has at most ${tokensMax} tokens; revoke one first.`)
    }
    const { tokenId, hash, name, expiresAtMs } = input
    assertAhead(expiresAtMs, nowMs)
    const data = {
      token_id: tokenId,
      hash,
      scopes: [...new Set(input.scopes)],
      ...(name !== undefined && { name }),
      ...(expiresAtMs !== undefined && { expires_at: expiresAtMs }),
    }
    return [{ type: 'ApiTokenIssued', data }]
  }
}

function assertAhead(expiresAtMs: number | undefined, nowMs: number): void {
  if (expiresAtMs === undefined) return
  if (expiresAtMs > nowMs && expiresAtMs - nowMs <= lifetimeMaxMs) return
  throw invalidRequest([
    { path: 'expires_at', message: 'Must be a time to come, at most ten years ahead.' },
  ])
}

/**
 * The decision: revoking a token again changes nothing. `wasIssued` says whether the account ever had it, since what is long dead is
 * forgotten. Throws `not_found` for an unknown account and for a token that it never had: whoever revokes a token under the wrong
 * account must not believe it dead.
 */
export function revokeToken(tokenId: string, wasIssued = false) {
  return (state: AccountState): readonly AccountEvent[] => {
    if (!state.opened) throw new Failure('not_found', 'There is no such account.')
    const token = state.tokens.get(tokenId)
    if (!token && !wasIssued) throw new Failure('not_found', 'The account has no such token.')
    if (!token || token.revoked) return []
    return [{ type: 'ApiTokenRevoked', data: { token_id: tokenId } }]
  }
}
