import { randomUUID } from 'node:crypto'
import type { Next } from 'koa'
import { isUuid } from '../../domain/uuid.ts'
import type { Context } from '../request/context.ts'

/** Takes the caller's `X-Request-Id` when it is a UUID, else a new one; nothing else of the caller's gets into the log by it. */
export function identifyRequest(ctx: Context, next: Next): Promise<void> {
  const given = ctx.req.headers['x-request-id']
  const requestId = typeof given === 'string' && isUuid(given) ? given : randomUUID()
  ctx.state.requestId = requestId
  ctx.res.setHeader('X-Request-Id', requestId)
  ctx.res.setHeader('Cache-Control', 'no-store')
  ctx.res.setHeader('X-Content-Type-Options', 'nosniff')
  return next()
}
