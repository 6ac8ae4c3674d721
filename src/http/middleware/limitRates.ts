/** Keeps each API token to its rate, and says with every answer how it stands. */

import { Failure } from '../../domain/failure.ts'
import type { Principal } from '../../domain/principal.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'
import type { Context } from '../request/context.ts'
import type { RateLimit } from './rateLimiter.ts'
import type { Rates } from './rates.ts'

interface LimitRatesOptions {
  readonly rateLimit: RateLimit
  readonly rates: Rates
  readonly meter: Metrics['requests']
}

/**
 * Lets the request be counted as soon as it is known whose token it carries: `identify` then throws `rate_limited` for one too
 * many. Neither the operator nor front ends are limited here; see `frontEndAccess`. Header fields as in draft-ietf-httpapi-ratelimit-headers-11.
 */
export function limitRates({ rateLimit: rate, rates, meter }: LimitRatesOptions) {
  const { perSecond, burst } = rate
  const policy = `"token";q=${burst};w=${Math.ceil(burst / perSecond)}`

  const count = async (ctx: Context, principal: Principal): Promise<void> => {
    if (principal.kind !== 'account') return
    const bucket = { rate, kind: 'token', key: principal.tokenId }
    const { allowed, remaining, waitSeconds } = await rates.take('', [bucket])
    // it took so long that the request has been answered meanwhile
    if (ctx.res.headersSent) throw new Failure('unavailable', 'The request was answered before.')
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
