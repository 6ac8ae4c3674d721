/** Resolves the application from the host of a request, and rejects unknown hosts. */

import type { Next } from 'koa'
import { Failure } from '../../domain/failure.ts'
import type { ServedApp } from '../../domain/sessions/appSettings.ts'
import type { Context } from '../request/requestContext.ts'
import { answerPreflight, isPreflight, setAppCorsHeaders } from './allowOrigins.ts'

/**
 * Stores the label before the session domain; `findApplication` resolves it later. Every other host is the main one.
 * Notes when `X-Forwarded-Host` differs from an application's Host: a header that a client got past the proxy could
 * make a cache store the answer of one application as that of another.
 */
export function resolveSessionHost(sessionDomain: string, trustedProxies: number) {
  const end = `.${sessionDomain}`
  return function resolveSessionHost(ctx: Context, next: Next): Promise<void> {
    const own = readAuthority(ctx)
    const authority = readForwardedAuthority(ctx, trustedProxies) ?? own
    const host = toHostName(authority)
    if (host.endsWith(end)) {
      ctx.state.sessionHost = host.slice(0, -end.length)
      ctx.state.authority = host + (/:\d+$/.exec(authority.trim())?.[0] ?? '')
    }
    if (authority !== own) {
      const ownHost = toHostName(own)
      ctx.state.hasHostMismatch = ownHost !== host && ownHost.endsWith(end)
    }
    return next()
  }
}

/** The host that the outermost trusted proxy received: each appends its own, earlier entries are the client's. */
function readForwardedAuthority(
  { req: { headers } }: Context,
  trustedProxies: number,
): string | undefined {
  const forwarded = headers['x-forwarded-host']
  if (trustedProxies === 0 || forwarded === undefined) return undefined
  const hosts = String(forwarded).split(',')
  return hosts[Math.max(0, hosts.length - trustedProxies)] ?? ''
}

const absoluteForm = /^https?:\/\/([^/?#]*)/i

/** The authority of an absolute-form target, else of `Host` (RFC 9112, 3.2.2). */
function readAuthority({ req: { headers, url = '' } }: Context): string {
  return absoluteForm.exec(url)?.[1] ?? headers.host ?? ''
}

/** The host name in lower case, without port and trailing dot. */
function toHostName(authority: string): string {
  return authority.trim().toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
}

/**
 * Finds the application of a host under the session domain. Without one, every path is `not_found`. Only origins that
 * the application allows may send credentials.
 */
export function requireApplication(find: (appId: string) => Promise<ServedApp | undefined>) {
  return async function findApplication(ctx: Context, next: Next): Promise<void> {
    const { sessionHost } = ctx.state
    if (sessionHost === undefined) return next()
    const app = await find(sessionHost)
    // what was held before may have been of a moment ago
    const isAllowed = setAppCorsHeaders(ctx, app)
    if (!app) throw new Failure('not_found', 'There is nothing at this address.')
    ctx.state.app = app
    if (isAllowed && isPreflight(ctx)) answerPreflight(ctx)
    else await next()
  }
}
