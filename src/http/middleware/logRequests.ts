/** Writes one line for each request, made of nothing a caller can choose but the request id. */

import type { Next } from 'koa'
import type { Logger } from '../../log.ts'
import type { Context } from '../request/context.ts'

/** Logs after the answer is decided: the route (never the path, which may carry anything), status, duration, who. */
export function logRequests(logger: Logger) {
  return async function logRequests(ctx: Context, next: Next): Promise<void> {
    const startMs = performance.now()
    await next()
    if (!logger.isLevelEnabled('info')) return
    const { requestId, route, principal, failureCode } = ctx.state
    const account = principal?.kind === 'account' ? principal : undefined
    logger.info(
      {
        request_id: requestId,
        method: ctx.method,
        route,
        status: ctx.status,
        duration_ms: Math.round((performance.now() - startMs) * 1000) / 1000,
        code: failureCode,
        account_id: account?.accountId,
        token_id: account?.tokenId,
      },
      'request',
    )
  }
}
