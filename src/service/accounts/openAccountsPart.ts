/** Opens the accounts' part of the service. */

import { type ApiTokenParts, parseApiToken, secretMatches } from '../../auth/apiToken.ts'
import { parseSdkKey } from '../../auth/sdkKey.ts'
import { Failure } from '../../domain/failure.ts'
import { type AccountState, isInForce } from '../../events/accounts/account.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { openAccountCommands } from './accountCommands.ts'
import { openAccountQueries } from './accountQueries.ts'
import type { AccountsPart } from './accountsPart.ts'
import { openFindIssued } from './findIssued.ts'
import { openLastUse } from './lastUse.ts'

/** Looks into the log in a second: only for keys that were issued once, so whoever sends what is revoked must not keep it busy. */
const looksPerSecondMax = 200

/** `operatorTokenHash` is the SHA-256 of the operator's token, hexadecimal. */
export function openAccountsPart(context: ServiceContext, operatorTokenHash: string): AccountsPart {
  return {
    authenticate: openAuthentication(context, operatorTokenHash),
    authenticateFrontEnd: openFrontEndAuthentication(context),
    accounts: { ...openAccountQueries(context), ...openAccountCommands(context) },
  }
}

/**
 * Tells whose front end a key says it is. Keys are followed like tokens: a revoked one is refused as soon as its revocation is
 * answered, by other instances within a second (design 6). What was never issued is refused without a look. Throws `invalid_sdk_key`, the
 * same for every reason, and `origin_not_allowed` for a page that the key is not for.
 */
export function openFrontEndAuthentication(
  context: ServiceContext,
): AccountsPart['authenticateFrontEnd'] {
  const { clock, keyring } = context
  const noteUse = openLastUse(context, 'sdkKey')
  const find = openFindIssued(context, {
    in: ({ sdkKeys }) => sdkKeys,
    called: 'SDK keys',
    perSecondMax: looksPerSecondMax,
  })
  return async (text, origin) => {
    const parts = parseSdkKey(text, keyring.digest)
    const key = parts && (await find({ accountId: parts.accountId, id: parts.keyId }))
    if (!parts || !key || key.revoked) {
      throw new Failure('invalid_sdk_key', 'The SDK key is not valid.')
    }
    const { origins = [] } = key
    if (origins.length > 0 && !(origin !== undefined && origins.includes(origin))) {
      throw new Failure('origin_not_allowed', 'The SDK key is not for pages of this origin.')
    }
    noteUse({ accountId: parts.accountId, id: parts.keyId }, clock.nowMs())
    return { kind: 'front_end', ...parts }
  }
}

/**
 * Tells whose token it is. An account's tokens are read from its own stream, which this process keeps folded: a revoked token is
 * refused as soon as its revocation is answered, by other instances within a second (design 6), an expired one from its last
 * millisecond on. Throws `invalid_api_token`, the same for every reason.
 */
function openAuthentication(
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
