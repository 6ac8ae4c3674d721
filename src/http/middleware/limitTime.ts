/** Answers 503 when a request is not answered within its time limit. */

import type { Next } from 'koa'
import { Failure } from '../../domain/failure.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'
import type { Context } from '../request/requestContext.ts'

/**
 * Throws `unavailable` when a request, its body included, takes longer than `answerMs`. Work that has begun goes on,
 * and keeps its concurrency slots until it ends.
 */
export function limitTime(answerMs: number, meter: Metrics['requests']) {
  return function limitTime(ctx: Context, next: Next): Promise<void> {
    return new Promise((resolve, reject) => {
      let isLate = false
      const timer = setTimeout(() => {
        isLate = true
        meter.countRefusal('too_slow')
        // nothing more of its body is waited for
        if (!ctx.req.complete) ctx.res.setHeader('Connection', 'close')
        const retry = { retryAfterSeconds: 1 }
        reject(new Failure('unavailable', 'There was no answer in time; try again.', retry))
      }, answerMs)
      const fail = (error: unknown): void => {
        if (isLate) ctx.app.emit('error', error, ctx)
        else reject(error)
      }
      next()
        .then(resolve, fail)
        .finally(() => clearTimeout(timer))
    })
  }
}
