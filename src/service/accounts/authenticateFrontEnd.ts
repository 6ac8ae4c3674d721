/** From a public SDK key to the front end behind it. */

import { parseSdkKey } from '../../auth/sdkKey.ts'
import { Failure } from '../../domain/failure.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import type { AccountsPart } from './accountsPart.ts'
import { openFindIssued } from './findIssued.ts'
import { openLastUse } from './lastUse.ts'

/** Looks into the log in a second: only for keys that were issued once, so whoever sends what is revoked must not keep it busy. */
const looksPerSecondMax = 200

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
