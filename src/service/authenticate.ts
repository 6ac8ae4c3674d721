/** From a bearer token to the principal behind it. */

import { timingSafeEqual } from 'node:crypto'
import { hashSecret, parseApiToken, secretMatches } from '../auth/apiToken.ts'
import { Failure } from '../domain/failure.ts'
import type { Principal } from '../domain/principal.ts'
import { accountStream, type House } from './house.ts'

/**
 * Tells whose token it is. An account's tokens are read from its own stream, which this process keeps folded: a revoked token is
 * refused as soon as its revocation is answered. Throws `invalid_api_token`, the same for every reason.
 */
export function openAuthentication(
  house: House,
  operatorTokenHash: string,
): (token: string) => Promise<Principal> {
  const operatorHash = Buffer.from(operatorTokenHash, 'hex')

  return async (token) => {
    if (timingSafeEqual(Buffer.from(hashSecret(token), 'hex'), operatorHash)) {
      return { kind: 'operator' }
    }
    const parts = parseApiToken(token)
    if (!parts) throw invalidToken()
    const { accountId, tokenId, secret } = parts
    const { state } = await house.accounts.held(accountStream(accountId))
    const kept = state.tokens.get(tokenId)
    if (!kept || !secretMatches(secret, kept.hash) || kept.revoked) throw invalidToken()
    return { kind: 'account', accountId, tokenId, scopes: kept.scopes }
  }
}

function invalidToken(): Failure {
  return new Failure('invalid_api_token', 'The API token is not valid.')
}
