/** Turns every thrown error into an error response, in the form of its API (spec 7). */

import type { Next } from 'koa'
import { Failure } from '../../domain/failure.ts'
import type { Logger } from '../../log.ts'
import { sendAnswer } from '../request/answer.ts'
import { type ErrorBodiesName, errorBodies } from '../request/errorBodies.ts'
import type { Context } from '../request/requestContext.ts'
import type { Route } from '../request/route.ts'
import { clientLeftCode, clientLeftError, clientLeftStatus } from '../request/runWhenClosed.ts'
import type { RefusalCode } from './recordRequests.ts'

interface CatchOptions {
  readonly logger: Logger
  /** Whether a refusal with this code is logged. */
  readonly isLogged: (code: RefusalCode) => boolean
  /** The routes of the main host. */
  readonly routes: readonly Pick<Route, 'path' | 'errors'>[]
}

/**
 * Answers a `Failure` with the error body of its API. Any other error is a plain 500 with the request id, and its cause
 * goes only to the log. A client that disconnected gets no body and is recorded as 499.
 */
export function catchFailures({ logger, isLogged, routes }: CatchOptions) {
  const chooseErrors = openErrorsChooser(routes)
  return async function catchFailures(ctx: Context, next: Next): Promise<void> {
    try {
      await next()
    } catch (thrown) {
      ctx.state.route?.onFailure?.(ctx, thrown)
      if (thrown === clientLeftError) {
        ctx.state.isUnlogged = !isLogged(clientLeftCode)
        ctx.state.failureCode = clientLeftCode
        ctx.response.status = clientLeftStatus
        return
      }
      const failure =
        thrown instanceof Failure
          ? thrown
          : new Failure('internal', 'Something went wrong on our side.', { cause: thrown })
      ctx.state.isUnlogged = !isLogged(failure.code)
      if (failure.status >= 500 && !ctx.state.isUnlogged) logFailure(logger, failure, ctx)
      answerFailure(ctx, failure, chooseErrors(ctx))
    }
  }
}

function answerFailure(ctx: Context, failure: Failure, errors: ErrorBodiesName): void {
  ctx.state.failureCode = failure.code
  if (failure.status === 401) ctx.res.setHeader('WWW-Authenticate', selectAuthScheme(failure))
  if (failure.retryAfterSeconds !== undefined) {
    ctx.res.setHeader('Retry-After', String(Math.ceil(failure.retryAfterSeconds)))
  }
  if (failure.dpopNonce !== undefined) ctx.res.setHeader('DPoP-Nonce', failure.dpopNonce)
  const value = errorBodies[errors].body(failure, ctx.state.requestId)
  sendAnswer(ctx, { value }, failure.status)
}

/** The authentication scheme for `WWW-Authenticate` (RFC 9110, 11.6.1). */
function selectAuthScheme({ code }: Failure): string {
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

/**
 * Chooses the form of the error body of a refused request. On application hosts the form of spec 7.2. On the main host
 * the form declared by a route of the same path, for any method and query, else that of the main API.
 */
function openErrorsChooser(routes: CatchOptions['routes']) {
  const known = routes
    .filter(({ errors }) => errors !== 'main')
    .map(({ path, errors }) => ({ pattern: buildPathPattern(path), errors }))

  return (ctx: Context): ErrorBodiesName => {
    if (ctx.state.sessionHost !== undefined) return 'session'
    return known.find(({ pattern }) => pattern.test(ctx.path))?.errors ?? 'main'
  }
}

/** The dot is the only pattern character in the fixed segments of paths. */
function buildPathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}
