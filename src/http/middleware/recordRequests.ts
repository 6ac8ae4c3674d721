/** Assigns request ids, sets common headers, measures and logs requests; limits logged refusals. */

import { randomUUID } from 'node:crypto'
import type { Next } from 'koa'
import type { FailureCode } from '../../domain/failure.ts'
import { isUuid } from '../../domain/uuid.ts'
import type { Logger } from '../../log.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'
import type { Context } from '../request/requestContext.ts'
import type { clientLeftCode } from '../request/runWhenClosed.ts'

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

/** Measures requests by route pattern (see `requestMeter`), and logs those that the refusal log did not leave out. */
export function recordRequests(
  logger: Logger,
  { countStart, countAnswer }: Pick<Metrics['requests'], 'countStart' | 'countAnswer'>,
) {
  return async function recordRequests(ctx: Context, next: Next): Promise<void> {
    const startMs = performance.now()
    countStart()
    try {
      await next()
      if (!ctx.state.isUnlogged && logger.isLevelEnabled('info')) logRequest(logger, ctx, startMs)
    } finally {
      countAnswer({
        method: ctx.request.method,
        route: ctx.state.route?.path,
        status: ctx.response.status,
        seconds: (performance.now() - startMs) / 1_000,
      })
    }
  }
}

/** Logs route (never the path, which may contain anything), status, duration and caller. */
function logRequest(logger: Logger, { state, method, status }: Context, startMs: number): void {
  const { requestId, route, principal, app, failureCode } = state
  const caller = principal?.kind === 'operator' ? undefined : principal
  logger.info(
    {
      request_id: requestId,
      method,
      route: route?.path,
      status,
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

export type RefusalCode = FailureCode | typeof clientLeftCode

interface RefusalLogOptions {
  readonly logger: Logger
  readonly meter: Pick<Metrics['requests'], 'countUnlogged'>
  /** Lines for each code in a second, so that a flood of one hides no other; 50 unless given. */
  readonly linesPerSecond?: number | undefined
}

/**
 * Returns, for each refusal, whether to log it: up to `linesPerSecond` of each code per second. The rest is counted,
 * and logged as one entry per code when the second is over. Unexpected errors (`internal`) are always logged.
 */
export function openRefusalLogLimiter({ logger, meter, linesPerSecond = 50 }: RefusalLogOptions) {
  let counts = new Map<RefusalCode, number>()

  const endSecond = (): void => {
    for (const [code, count] of counts) {
      const leftOut = count - linesPerSecond
      if (leftOut > 0) logger.warn({ code, left_out: leftOut }, 'refused requests without a line')
    }
    counts = new Map()
  }

  return (code: RefusalCode): boolean => {
    if (code === 'internal') return true
    if (counts.size === 0) setTimeout(endSecond, 1_000).unref()
    const count = (counts.get(code) ?? 0) + 1
    counts.set(code, count)
    if (count <= linesPerSecond) return true
    meter.countUnlogged(code)
    return false
  }
}
