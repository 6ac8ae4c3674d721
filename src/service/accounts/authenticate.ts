/** From a bearer token to the principal behind it. */

import { parseApiToken, secretMatches } from '../../auth/apiToken.ts'
import { Failure } from '../../domain/failure.ts'
import { isInForce } from '../../events/accounts/account.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import type { AccountsPart } from './accountsPart.ts'
import { openFindToken } from './findToken.ts'
import { openLastUse } from './lastUse.ts'

/**
 * Tells whose token it is. An account's tokens are read from its own stream, which this process keeps folded: a revoked token is
 * refused as soon as its revocation is answered, by other instances within a second (design 6), an expired one from its last
 * millisecond on. Throws `invalid_api_token`, the same for every reason.
 */
export function openAuthentication(
  context: ServiceContext,
  operatorTokenHash: string,
): AccountsPart['authenticate'] {
  const noteUse = openLastUse(context, 'token')
  const findToken = openFindToken(context)
  return async (token) => {
    const parts = parseApiToken(token)
    const nowMs = context.clock.nowMs()
    const kept = parts && (await findToken(parts))
    if (kept && secretMatches(parts.secret, kept.hash) && isInForce(kept, nowMs)) {
      const { accountId, tokenId } = parts
      noteUse({ accountId, id: tokenId }, nowMs)
      return { kind: 'account', accountId, tokenId, scopes: kept.scopes }
    }
    if (secretMatches(token, operatorTokenHash)) return { kind: 'operator' }
    throw new Failure('invalid_api_token', 'The API token is not valid.')
  }
}
