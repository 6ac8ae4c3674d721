/** Sets CORS headers and answers preflight requests (Fetch standard, CORS). */

import type { Next } from 'koa'
import type { ServedApp } from '../../domain/sessions/appSettings.ts'
import type { Context } from '../request/requestContext.ts'
import type { Route } from '../request/route.ts'

/**
 * Sets CORS headers before anything can be refused, since a script could read neither the refusal nor its `Retry-After`
 * without them. On routes with `crossOrigin` every origin is allowed: they use no cookies and no `Authorization`, so
 * `*` is safe. On the host of an application those are that it allows, as far as it is cached.
 */
export function allowOrigins(
  routes: readonly Route[],
  peek: (appId: string) => ServedApp | undefined,
) {
  const preflightHeaders = new Map<string, Headers>()
  for (const { path, method, crossOrigin } of routes) {
    if (!crossOrigin) continue
    preflightHeaders.set(path, {
      'Access-Control-Allow-Methods': method,
      'Access-Control-Allow-Headers': crossOrigin.join(', '),
      'Access-Control-Max-Age': '7200',
    })
  }

  return function allowOrigins(ctx: Context, next: Next): Promise<void> {
    const { sessionHost } = ctx.state
    if (sessionHost !== undefined) {
      setAppCorsHeaders(ctx, peek(sessionHost))
      return next()
    }
    const headers = preflightHeaders.get(ctx.request.path)
    if (headers) {
      ctx.res.setHeader('Access-Control-Allow-Origin', '*')
      ctx.res.setHeader('Access-Control-Expose-Headers', 'Retry-After, X-Request-Id')
      if (ctx.method === 'OPTIONS') setHeaders(ctx, headers)
    }
    return next()
  }
}

type Headers = Readonly<Record<string, string>>

function setHeaders({ res }: Context, headers: Headers): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
}

/** What scripts of an application's pages may send and read (RFC 9449; a header rotates the refresh token). */
const appSent = 'Authorization, Content-Type, DPoP, X-Refresh-Token, X-Request-Id, X-SDK-User-Agent'
const appExposed =
  'Date, DPoP-Nonce, Retry-After, X-Refresh-Token, X-Refresh-Token-Expires-At, X-Request-Id'

/** Whether the application allows the request's origin. Replaces the CORS headers set before. */
export function setAppCorsHeaders(ctx: Context, app: ServedApp | undefined): boolean {
  const { origin } = ctx.req.headers
  ctx.res.setHeader('Vary', 'Origin')
  if (origin === undefined || !app?.settings.allowed_origins.includes(origin)) {
    for (const name of Object.keys(buildCredentialHeaders(''))) ctx.res.removeHeader(name)
    return false
  }
  setHeaders(ctx, buildCredentialHeaders(origin))
  return true
}

function buildCredentialHeaders(origin: string): Headers {
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Expose-Headers': appExposed,
  }
}

export function answerPreflight(ctx: Context): void {
  ctx.status = 204
  setHeaders(ctx, {
    'Access-Control-Allow-Methods': 'GET, POST',
    'Access-Control-Allow-Headers': appSent,
    'Access-Control-Max-Age': '600',
  })
}

export function isPreflight({ method, req: { headers } }: Context): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
}
