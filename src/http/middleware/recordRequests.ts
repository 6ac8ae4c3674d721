/** Assigns request ids, sets common response headers, logs requests and measures them. */

import { randomUUID } from 'node:crypto'
import type { Next } from 'koa'
import { isUuid } from '../../domain/uuid.ts'
import type { Logger } from '../../log.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'
import type { Context } from '../request/requestContext.ts'

/** Uses the caller's `X-Request-Id` if it is a UUID, else a new one, so that no other caller text reaches the log. */
export function identifyRequest(ctx: Context, next: Next): Promise<void> {
  const given = ctx.req.headers['x-request-id']
  const requestId = typeof given === 'string' && isUuid(given) ? given : randomUUID()
  ctx.state.requestId = requestId
  ctx.res.setHeader('X-Request-Id', requestId)
  ctx.res.setHeader('Cache-Control', 'no-store')
  ctx.res.setHeader('X-Content-Type-Options', 'nosniff')
  return next()
}

/** Logs route (never the path, which may contain anything), status, duration and caller, unless the refusal log left it out. */
export function logRequests(logger: Logger) {
  return async function logRequests(ctx: Context, next: Next): Promise<void> {
    const startMs = performance.now()
    await next()
    const { requestId, route, principal, app, failureCode, isUnlogged } = ctx.state
    if (isUnlogged || !logger.isLevelEnabled('info')) return
    const caller = principal?.kind === 'operator' ? undefined : principal
    logger.info(
      {
        request_id: requestId,
        method: ctx.method,
        route: route?.path,
        status: ctx.status,
        duration_ms: Math.round((performance.now() - startMs) * 1000) / 1000,
        code: failureCode,
        account_id: caller?.accountId ?? app?.account,
        app_id: app?.appId,
        token_id: caller?.kind === 'account' ? caller.tokenId : undefined,
        session_id: caller?.kind === 'user' ? caller.sessionId : undefined,
        sdk_key_id: caller?.kind === 'front_end' ? caller.keyId : undefined,
      },
      'request',
    )
  }
}

/** Measures requests by route pattern; see `requestMeter`. */
export function measureRequests({ countStart: begun, countAnswer: answered }: Metrics['requests']) {
  return async function measureRequests(ctx: Context, next: Next): Promise<void> {
    const startMs = performance.now()
    begun()
    try {
      await next()
    } finally {
      answered({
        method: ctx.request.method,
        route: ctx.state.route?.path,
        status: ctx.response.status,
        seconds: (performance.now() - startMs) / 1_000,
      })
    }
  }
}
