/** Keeps the work in progress bounded: what would be too much is sent away at once, not queued. */

import type { Next } from 'koa'
import { Failure } from '../../domain/failure.ts'
import type { Service } from '../../service.ts'
import type { Context } from '../context.ts'

const retryAfterSeconds = 1

/** Lets at most `inFlightMax` requests in at once; throws `unavailable` for more. Health and metrics stay answerable. */
export function admitRequests(inFlightMax: number, { refused }: Service['metrics']['requests']) {
  let inFlight = 0
  return async function admitRequests(ctx: Context, next: Next): Promise<void> {
    if (ctx.path.startsWith('/health/') || ctx.path === '/metrics') return next()
    if (inFlight >= inFlightMax) {
      refused('busy')
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
