/** Lets front ends in: by a public key, at a bounded rate of each key and of each address. */

import { Failure } from '../../domain/failure.ts'
import { networkOf } from '../../domain/ipAddress.ts'
import type { FrontEndPrincipal } from '../../domain/principal.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'
import type { RateLimit } from '../middleware/rateLimiter.ts'
import type { RateBucket, Rates } from '../middleware/rates.ts'
import type { Access } from '../request/access.ts'
import type { Context } from '../request/context.ts'
import { clientAddress } from './clientAddress.ts'

/** Rates unless others are set. Many people may stand behind one address. */
const keyRateDefault: RateLimit = { perSecond: 50, burst: 500 }
const addressRateDefault: RateLimit = { perSecond: 10, burst: 100 }

/** Longer texts are no key of ours. */
const keyMax = 128

export interface FrontEndRates {
  readonly keyRate?: RateLimit | undefined
  readonly addressRate?: RateLimit | undefined
  /** Bytes that the dispatches of one key may take in the log in a day. */
  readonly keyBytesPerDay?: number | undefined
}

interface FrontEndAccessOptions extends FrontEndRates {
  readonly authenticate: (key: string, origin: string | undefined) => Promise<FrontEndPrincipal>
  readonly trustedProxies: number
  readonly rates: Rates
  readonly meter: Metrics['requests']
}

/**
 * The front end with the key of the header `X-SDK-Key`. The address is counted before the key is looked at, so that whoever makes keys up
 * is kept to a rate as well. A key is counted only when it is good, so that what is made up takes no memory. Throws `rate_limited`, `missing_sdk_key`, `invalid_sdk_key`,
 * `origin_not_allowed`, and like `Rates`.
 */
export function frontEndAccess(options: FrontEndAccessOptions): Access<FrontEndPrincipal> {
  const { keyRate = keyRateDefault, addressRate = addressRateDefault, meter } = options
  const { rates } = options

  const count = async (bucket: RateBucket, whose: string): Promise<void> => {
    const { allowed, waitSeconds } = await rates.take('', [bucket])
    if (allowed) return
    meter.refused('rate_limited')
    throw new Failure('rate_limited', `The ${whose} has sent too many signals; try again later.`, {
      retryAfterSeconds: waitSeconds,
    })
  }

  const admit = async (ctx: Context): Promise<FrontEndPrincipal> => {
    const { req } = ctx
    const address = clientAddress(req, options.trustedProxies) ?? req.socket.remoteAddress ?? ''
    const network = networkOf(address.slice(0, keyMax))
    const text = String(req.headers['x-sdk-key'] ?? '').trim()
    const bucket = { rate: addressRate, kind: 'front end address', key: network }
    await count(bucket, 'address')
    const principal = await options.authenticate(keyOf(text), req.headers.origin)
    ctx.state.principal = principal
    await count({ rate: keyRate, kind: 'SDK key', key: principal.keyId }, 'SDK key')
    return principal
  }
  return () => ({ admits: 'front_end', admit })
}

/** The key. Several headers of the name have arrived as one text, which is none. */
function keyOf(key: string): string {
  if (key === '') throw new Failure('missing_sdk_key', "The header 'X-SDK-Key' is missing.")
  if (key.length <= keyMax) return key
  throw new Failure('invalid_sdk_key', 'The SDK key is not valid.')
}
