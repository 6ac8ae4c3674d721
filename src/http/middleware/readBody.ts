import type { Next } from 'koa'
import { Failure } from '../../domain/failure.ts'
import { clientLeft } from '../request/clientLeft.ts'
import { hasBody } from '../request/contentType.ts'
import type { Context } from '../request/context.ts'
import { whenClosed } from '../request/whenClosed.ts'
import { routeOf } from './findRoute.ts'

/** Reads the body, within its time. Throws `request_timeout`, and what its reader throws. */
export function readBody(bodyMs: number) {
  return async function readBody(ctx: Context, next: Next): Promise<void> {
    const reading = routeOf(ctx).readBody(ctx)
    const isWaitedFor = reading instanceof Promise && hasBody(ctx.req)
    ctx.state.body = await (isWaitedFor ? inTime(ctx, reading, bodyMs) : reading)
    await next()
  }
}

function inTime(ctx: Context, reading: Promise<unknown>, bodyMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      if (!ctx.res.headersSent) ctx.res.setHeader('Connection', 'close')
      reject(new Failure('request_timeout', 'The request took too long to arrive.'))
    }, bodyMs)
    // of a packed body only the request is told that no more of it comes
    whenClosed(ctx.res, () => {
      clearTimeout(timer)
      reject(clientLeft)
    })
    reading.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
