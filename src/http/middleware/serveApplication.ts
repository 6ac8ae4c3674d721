/** Serves what is asked of the host of an application. */

import { Failure } from '../../domain/failure.ts'
import type { FindServedApp, ServedApp } from '../../domain/servedApp.ts'
import type { Context } from '../request/context.ts'
import type { Serve } from './serveHost.ts'

/** How long a browser may remember what it was allowed, in seconds. */
const rememberedSeconds = 600
/** What the scripts of an application's pages may send and read (RFC 9449; the refresh token is rotated by a header). */
const sent = 'Authorization, Content-Type, DPoP, X-Refresh-Token, X-Request-Id, X-SDK-User-Agent'
const exposed =
  'Date, DPoP-Nonce, Retry-After, X-Refresh-Token, X-Refresh-Token-Expires-At, X-Request-Id'

/**
 * Finds the application and hands the request to its route. A host of no application has nothing: every path is `not_found`. Pages of the
 * origins that the application allows may ask with credentials, and those of no other.
 */
export function serveApplication(find: FindServedApp, serve: Serve): Serve {
  return async function serveApplication(ctx) {
    const app = await find(ctx.state.sessionHost ?? '')
    if (!app) throw new Failure('not_found', 'There is nothing at this address.')
    ctx.state.app = app
    ctx.res.setHeader('Vary', 'Origin')
    const isAllowed = allowOrigin(ctx, app)
    if (isAllowed && isPreflight(ctx)) ctx.status = 204
    else await serve(ctx)
  }
}

function allowOrigin(ctx: Context, { settings }: ServedApp): boolean {
  const { origin } = ctx.req.headers
  if (origin === undefined || !settings.allowed_origins.includes(origin)) return false
  ctx.res.setHeader('Access-Control-Allow-Origin', origin)
  ctx.res.setHeader('Access-Control-Allow-Credentials', 'true')
  ctx.res.setHeader('Access-Control-Expose-Headers', exposed)
  if (!isPreflight(ctx)) return true
  ctx.res.setHeader('Access-Control-Allow-Methods', 'GET, POST')
  ctx.res.setHeader('Access-Control-Allow-Headers', sent)
  ctx.res.setHeader('Access-Control-Max-Age', String(rememberedSeconds))
  return true
}

/** The question a browser asks ahead. */
function isPreflight({ method, req: { headers } }: Context): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
}
