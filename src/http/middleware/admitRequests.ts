/** Keeps the work in progress bounded: what would be too much is sent away at once, not queued. */

import type { Next } from 'koa'
import { Failure } from '../../domain/failure.ts'
import type { Context } from '../context.ts'

const retryAfterSeconds = 1

/** Lets at most `inFlightMax` requests in at once; throws `unavailable` for more. Health stays answerable. */
export function admitRequests(inFlightMax: number) {
  let inFlight = 0
  return async function admitRequests(ctx: Context, next: Next): Promise<void> {
    if (ctx.path.startsWith('/health/')) return next()
    if (inFlight >= inFlightMax) {
      throw new Failure('unavailable', 'The service is busy; try again.', { retryAfterSeconds })
    }
    inFlight += 1
    try {
      await next()
    } finally {
      inFlight -= 1
    }
  }
}
