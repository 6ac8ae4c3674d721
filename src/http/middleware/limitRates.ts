/** Keeps each API token to its rate, and says with every answer how it stands. */

import { Failure } from '../../domain/failure.ts'
import type { Principal } from '../../domain/principal.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'
import type { Context } from '../request/context.ts'
import { openRateLimiter, type RateLimit } from './rateLimiter.ts'

interface LimitRatesOptions {
  readonly rateLimit: RateLimit
  readonly nowMs: () => number
  readonly meter: Metrics['requests']
}

/**
 * Lets the request be counted as soon as it is known whose token it carries: `identify` then throws `rate_limited` for one too
 * many. Neither the operator nor front ends are limited here; see `frontEndAccess`. Header fields as in draft-ietf-httpapi-ratelimit-headers-11.
 */
export function limitRates({ rateLimit, nowMs, meter }: LimitRatesOptions) {
  const { perSecond, burst } = rateLimit
  const limiter = openRateLimiter(rateLimit, nowMs)
  const policy = `"token";q=${burst};w=${Math.ceil(burst / perSecond)}`

  const count = (ctx: Context, principal: Principal): void => {
    if (principal.kind !== 'account') return
    const { allowed, remaining, waitSeconds } = limiter.take(principal.tokenId)
    ctx.res.setHeader('RateLimit-Policy', policy)
    ctx.res.setHeader('RateLimit', `"token";r=${remaining};t=${waitSeconds}`)
    if (allowed) return
    meter.refused('rate_limited')
    throw new Failure('rate_limited', 'The token has done too many requests; try again later.', {
      retryAfterSeconds: waitSeconds,
    })
  }

  return function limitRates(ctx: Context): void {
    ctx.state.countRequest = count
  }
}
