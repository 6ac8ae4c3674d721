/** Keeps the work in progress, and the wait for an answer, bounded: what would be too much is sent away, not queued. */

import type { Next } from 'koa'
import { Failure } from '../../domain/failure.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'
import type { Context } from '../request/context.ts'

interface AdmitOptions {
  readonly inFlightMax: number
  /** How long a request may take, its body included. */
  readonly answerMs: number
  readonly meter: Metrics['requests']
}

const retryAfterSeconds = 1

/**
 * Lets at most `inFlightMax` requests in at once, and throws `unavailable` for more. Throws it too when there is no answer in time,
 * or `request_timeout` when the client's body has not even arrived; the work still counts until it ends. Health and metrics stay
 * answerable.
 */
export function admitRequests({ inFlightMax, answerMs, meter }: AdmitOptions) {
  let inFlight = 0

  const admit = (ctx: Context, next: Next): Promise<void> =>
    new Promise((resolve, reject) => {
      let late = false
      inFlight += 1
      const timer = setTimeout(() => {
        late = true
        meter.refused('too_slow')
        reject(tooSlow(ctx))
      }, answerMs)
      const settle = (error?: unknown): void => {
        inFlight -= 1
        clearTimeout(timer)
        if (error === undefined) resolve()
        else if (late) ctx.app.emit('error', error, ctx)
        else reject(error)
      }
      next().then(() => settle(), settle)
    })

  return function admitRequests(ctx: Context, next: Next): Promise<void> {
    if (ctx.path.startsWith('/health/') || ctx.path === '/metrics') return next()
    if (inFlight < inFlightMax) return admit(ctx, next)
    meter.refused('busy')
    return Promise.reject(
      new Failure('unavailable', 'The service is busy; try again.', { retryAfterSeconds }),
    )
  }
}

function tooSlow(ctx: Context): Failure {
  if (ctx.req.complete) {
    return new Failure('unavailable', 'There was no answer in time; try again.', {
      retryAfterSeconds,
    })
  }
  ctx.res.setHeader('Connection', 'close')
  // who reads the body is told only by this that there will be no more of it
  ctx.req.socket.once('close', () => ctx.req.destroy())
  return new Failure('request_timeout', 'The request took too long to arrive.')
}
