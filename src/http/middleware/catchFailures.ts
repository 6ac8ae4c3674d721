/** Turns every thrown error into an error response (spec 7); the only error handler. */

import type { Next } from 'koa'
import { Failure } from '../../domain/failure.ts'
import type { Logger } from '../../log.ts'
import { sendAnswer } from '../request/answer.ts'
import type { Context } from '../request/context.ts'
import { type ErrorBodiesName, errorBodiesOf, unexpected } from '../request/errorBodies.ts'
import type { Route } from '../request/route.ts'
import { clientLeft, clientLeftCode, clientLeftStatus } from '../request/whenClosed.ts'
import type { RefusalCode } from './refusalLog.ts'

interface CatchOptions {
  readonly logger: Logger
  /** Says of each whether it has lines in the log. */
  readonly isLogged: (code: RefusalCode) => boolean
  readonly errorsOf: ErrorsOf
}

/**
 * Answers a `Failure` as the error object of its part of the API. Everything else is a plain 500 with the request id; what it was
 * stands in the log and nowhere else. A client that left is answered nothing.
 */
export function catchFailures({ logger, isLogged, errorsOf }: CatchOptions) {
  return async function catchFailures(ctx: Context, next: Next): Promise<void> {
    try {
      await next()
    } catch (thrown) {
      ctx.state.route?.onFailure?.(thrown)
      if (thrown === clientLeft) {
        ctx.state.isUnlogged = !isLogged(clientLeftCode)
        ctx.state.failureCode = clientLeftCode
        ctx.response.status = clientLeftStatus
        return
      }
      const failure = thrown instanceof Failure ? thrown : unexpected(thrown)
      ctx.state.isUnlogged = !isLogged(failure.code)
      if (failure.status >= 500 && !ctx.state.isUnlogged) logFailure(logger, failure, ctx)
      answerFailure(ctx, failure, errorsOf(ctx))
    }
  }
}

function answerFailure(ctx: Context, failure: Failure, errors: ErrorBodiesName): void {
  ctx.state.failureCode = failure.code
  if (failure.status === 401) ctx.res.setHeader('WWW-Authenticate', challengeOf(failure))
  if (failure.retryAfterSeconds !== undefined) {
    ctx.res.setHeader('Retry-After', String(Math.ceil(failure.retryAfterSeconds)))
  }
  if (failure.dpopNonce !== undefined) ctx.res.setHeader('DPoP-Nonce', failure.dpopNonce)
  const body = errorBodiesOf(errors).body(failure, ctx.state.requestId)
  sendAnswer(ctx, { status: failure.status, body })
}

/** How to say who one is (RFC 9110, 11.6.1). */
function challengeOf({ code }: Failure): string {
  return code === 'missing_sdk_key' || code === 'invalid_sdk_key' ? 'SDK-Key' : 'Bearer'
}

function logFailure(logger: Logger, failure: Failure, ctx: Context): void {
  const fields = {
    request_id: ctx.state.requestId,
    route: ctx.state.route?.path,
    code: failure.code,
  }
  if (failure.code === 'internal') {
    logger.error({ ...fields, err: failure.cause ?? failure }, 'unexpected failure')
  } else {
    logger.warn({ ...fields, err: failure.cause }, failure.message)
  }
}

/** Which family the errors of a request are of; asked only of those that are refused, whatever they were refused for. */
type ErrorsOf = (ctx: Context) => ErrorBodiesName

/**
 * On the hosts of applications that of spec 7.2; on the main host by the path, whatever its method and parameters: that of the routes that
 * say so, else that of the main API.
 */
export function chooseErrors(routes: readonly Pick<Route, 'path' | 'errors'>[]): ErrorsOf {
  const families = new Map<string, ErrorBodiesName>()
  for (const { path, errors } of routes) if (errors !== 'main') families.set(path, errors)
  const known = [...families].map(([path, family]) => ({ pattern: patternOf(path), family }))

  return function chooseErrors(ctx) {
    if (ctx.state.sessionHost !== undefined) return 'session'
    return known.find(({ pattern }) => pattern.test(ctx.path))?.family ?? 'main'
  }
}

/** The fixed parts of a path have no signs of patterns but the dot. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}
