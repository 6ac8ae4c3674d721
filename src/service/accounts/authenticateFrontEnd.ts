/** From a public SDK key to the front end behind it. */

import { parseSdkKey } from '../../auth/sdkKey.ts'
import { Failure } from '../../domain/failure.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import type { AccountsPart } from './accountsPart.ts'
import { openFindIssued } from './findIssued.ts'

/** Looks into the log in a second: whoever makes keys up must not keep it busy. */
const looksPerSecondMax = 200

/**
 * Tells whose front end a key says it is. Keys are followed like tokens: a revoked one is refused as soon as its revocation is
 * answered, by other instances within a second (design 6). Throws `invalid_sdk_key`, the same for every reason.
 */
export function openFrontEndAuthentication(
  context: ServiceContext,
): AccountsPart['authenticateFrontEnd'] {
  const find = openFindIssued(context, {
    in: ({ sdkKeys }) => sdkKeys,
    called: 'SDK keys',
    perSecondMax: looksPerSecondMax,
  })
  return async (text) => {
    const parts = parseSdkKey(text)
    const key = parts && (await find({ accountId: parts.accountId, id: parts.keyId }))
    if (parts && key && !key.revoked) return { kind: 'front_end', ...parts }
    throw new Failure('invalid_sdk_key', 'The SDK key is not valid.')
  }
}
