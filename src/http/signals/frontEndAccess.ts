/** Lets front ends in: by a public key, at a bounded rate of each key and of each address. */

import { Failure } from '../../domain/failure.ts'
import { networkOf } from '../../domain/ipAddress.ts'
import type { FrontEndPrincipal } from '../../domain/principal.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'
import { openRateLimiter, type RateLimit, type RateLimiter } from '../middleware/rateLimiter.ts'
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
}

interface FrontEndAccessOptions extends FrontEndRates {
  readonly authenticate: (key: string, origin: string | undefined) => Promise<FrontEndPrincipal>
  readonly trustedProxies: number
  /** A clock that never goes back. */
  readonly nowMs: () => number
  readonly meter: Metrics['requests']
}

/**
 * The front end with the key of the header `X-SDK-Key`. The address is counted before the key is looked at, so that whoever makes keys up
 * is kept to a rate as well; a key only when it is good, so that what is made up takes no memory. Both count the requests of this
 * instance alone. Throws `rate_limited`, `missing_sdk_key`, `invalid_sdk_key`,
 * `origin_not_allowed`.
 */
export function frontEndAccess(options: FrontEndAccessOptions): Access<FrontEndPrincipal> {
  const { keyRate = keyRateDefault, addressRate = addressRateDefault, nowMs, meter } = options
  const keys = openRateLimiter(keyRate, nowMs)
  const addresses = openRateLimiter(addressRate, nowMs)

  const count = (limiter: RateLimiter, key: string, whose: string): void => {
    const { allowed, waitSeconds } = limiter.take(key)
    if (allowed) return
    meter.refused('rate_limited')
    throw new Failure('rate_limited', `The ${whose} has sent too many signals; try again later.`, {
      retryAfterSeconds: waitSeconds,
    })
  }

  const admit = async (ctx: Context): Promise<FrontEndPrincipal> => {
    const { req } = ctx
    const address = clientAddress(req, options.trustedProxies) ?? req.socket.remoteAddress ?? ''
    count(addresses, networkOf(address.slice(0, keyMax)), 'address')
    const principal = await options.authenticate(
      keyOf(req.headers['x-sdk-key']),
      req.headers.origin,
    )
    ctx.state.principal = principal
    count(keys, principal.keyId, 'SDK key')
    return principal
  }
  return () => ({ admits: 'front_end', admit })
}

/** Several headers of the name arrive as one text, which is no key. */
function keyOf(header: string | readonly string[] | undefined): string {
  const key = String(header ?? '').trim()
  if (key === '') throw new Failure('missing_sdk_key', "The header 'X-SDK-Key' is missing.")
  if (key.length <= keyMax) return key
  throw new Failure('invalid_sdk_key', 'The SDK key is not valid.')
}
