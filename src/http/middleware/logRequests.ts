/** Writes a line for a request, made of nothing a caller can choose but the request id. */

import type { Next } from 'koa'
import type { Logger } from '../../log.ts'
import type { Context } from '../request/context.ts'

/** Logs after the answer is decided, unless it is a refusal of a flood: the route (never the path, which may carry anything), status, duration, who. */
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
