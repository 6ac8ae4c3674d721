/** Sets CORS headers and answers preflight requests (Fetch standard, CORS). */

import type { Next } from 'koa'
import type { ServedApp } from '../../domain/sessions/appSettings.ts'
import type { Context } from '../request/requestContext.ts'
import type { Route } from '../request/route.ts'

/** Seconds a browser may cache a preflight answer. */
const rememberedSeconds = 7_200

/** Response headers that scripts may read. */
const exposed = 'Retry-After, X-Request-Id'

interface Allowed {
  readonly methods: string
  readonly headers: string
}

/**
 * Allows every origin on routes with `crossOrigin`, also on refusals by earlier steps, and adds the preflight headers to `OPTIONS`.
 * These routes use no cookies and no `Authorization`, so `*` is safe.
 */
export function allowOrigins(routes: readonly Route[]) {
  const allowedAt = new Map<string, Allowed>()
  for (const { path, method, crossOrigin } of routes) {
    if (crossOrigin) allowedAt.set(path, { methods: method, headers: crossOrigin.join(', ') })
  }

  return function allowOrigins(ctx: Context, next: Next): Promise<void> {
    const allowed =
      ctx.state.sessionHost === undefined ? allowedAt.get(ctx.request.path) : undefined
    if (!allowed) return next()
    ctx.res.setHeader('Access-Control-Allow-Origin', '*')
    ctx.res.setHeader('Access-Control-Expose-Headers', exposed)
    if (ctx.method === 'OPTIONS') {
      ctx.res.setHeader('Access-Control-Allow-Methods', allowed.methods)
      ctx.res.setHeader('Access-Control-Allow-Headers', allowed.headers)
      ctx.res.setHeader('Access-Control-Max-Age', String(rememberedSeconds))
    }
    return next()
  }
}

/** Seconds a browser may cache a preflight answer of an application. */
const appRememberedSeconds = 600
/** What the scripts of an application's pages may send and read (RFC 9449; the refresh token is rotated by a header). */
const appSent = 'Authorization, Content-Type, DPoP, X-Refresh-Token, X-Request-Id, X-SDK-User-Agent'
const appExposed =
  'Date, DPoP-Nonce, Retry-After, X-Refresh-Token, X-Refresh-Token-Expires-At, X-Request-Id'

/**
 * Sets CORS headers from the cached application before it is resolved; otherwise a script could read neither an early refusal nor its
 * `Retry-After`. Origins that are not known to be allowed get no headers.
 */
export function allowAppOrigins(peek: (appId: string) => ServedApp | undefined) {
  return function allowAppOrigins(ctx: Context, next: Next): Promise<void> {
    const { sessionHost } = ctx.state
    if (sessionHost !== undefined) setAppCorsHeaders(ctx, peek(sessionHost))
    return next()
  }
}

/** Whether the application allows the request's origin. Replaces the CORS headers set before. */
export function setAppCorsHeaders(ctx: Context, app: ServedApp | undefined): boolean {
  const { origin } = ctx.req.headers
  ctx.res.setHeader('Vary', 'Origin')
  if (origin === undefined || !app?.settings.allowed_origins.includes(origin)) {
    for (const name of Object.keys(leaveOf(''))) ctx.res.removeHeader(name)
    return false
  }
  for (const [name, value] of Object.entries(leaveOf(origin))) ctx.res.setHeader(name, value)
  return true
}

function leaveOf(origin: string): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Expose-Headers': appExposed,
  }
}

/** Answers a preflight request. */
export function answerPreflight(ctx: Context): void {
  ctx.status = 204
  ctx.res.setHeader('Access-Control-Allow-Methods', 'GET, POST')
  ctx.res.setHeader('Access-Control-Allow-Headers', appSent)
  ctx.res.setHeader('Access-Control-Max-Age', String(appRememberedSeconds))
}

/** Whether the request is a preflight request. */
export function isPreflight({ method, req: { headers } }: Context): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
}
