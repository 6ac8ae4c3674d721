/** Lets requests in: what they hold and how long they take is bounded, and shared between those who send them. */

import type { Next } from 'koa'
import { Failure } from '../../domain/failure.ts'
import { alwaysAdmitted } from '../request/admission.ts'
import type { Context } from '../request/context.ts'
import { type AdmissionOptions, openAdmission } from './openAdmission.ts'

interface AdmitOptions extends AdmissionOptions {
  /** How long a request may take, its body included. */
  readonly answerMs: number
}

const retryAfterSeconds = 1

/**
 * Gives a request its `admission`. Throws `unavailable` when there is no answer in time, or `request_timeout` when the client's body
 * has not even arrived; work that has begun keeps its place until it ends. Health and metrics wait behind nobody.
 */
export function admitRequests(options: AdmitOptions) {
  const { answerMs, meter } = options
  const admission = openAdmission(options)

  const inTime = (ctx: Context, next: Next): Promise<void> =>
    new Promise((resolve, reject) => {
      let late = false
      const timer = setTimeout(() => {
        late = true
        meter.refused('too_slow')
        reject(tooSlow(ctx))
        ctx.state.giveUp?.()
      }, answerMs)
      const settle = (error?: unknown): void => {
        clearTimeout(timer)
        if (error === undefined) resolve()
        else if (late) ctx.app.emit('error', error, ctx)
        else reject(error)
      }
      next().then(() => settle(), settle)
    })

  return function admitRequests(ctx: Context, next: Next): Promise<void> {
    const isMonitoring = ctx.path.startsWith('/health/') || ctx.path === '/metrics'
    ctx.state.admission = isMonitoring ? alwaysAdmitted : admission
    return isMonitoring ? next() : inTime(ctx, next)
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
