/** Resolves the host and its application; refuses requests this instance's role does not serve. */

import type { Next } from 'koa'
import { Failure, invalidRequest } from '../../domain/failure.ts'
import type { Role } from '../../domain/role.ts'
import type { ServedApp } from '../../domain/sessions/appSettings.ts'
import type { Context } from '../request/context.ts'
import { allowOrigin, allowPreflight, isPreflight } from './allowOrigins.ts'

interface HostOptions {
  /** In lower case. */
  readonly sessionDomain: string
  /** Proxies in front whose `X-Forwarded-Host` is believed. */
  readonly trustedProxies: number
}

/** Stores the label before the session domain; `findApplication` resolves it later. Every other host is the main one. */
export function nameHost({ sessionDomain, trustedProxies }: HostOptions) {
  const end = `.${sessionDomain}`
  return function nameHost(ctx: Context, next: Next): Promise<void> {
    const authority = forwardedAuthority(ctx, trustedProxies) ?? authorityOf(ctx)
    const host = nameOf(authority)
    if (host.endsWith(end)) {
      ctx.state.sessionHost = host.slice(0, -end.length)
      ctx.state.authority = host + (/:\d+$/.exec(authority.trim())?.[0] ?? '')
    }
    return next()
  }
}

/**
 * Throws `invalid_request` when `X-Forwarded-Host` differs from an application's Host: a header that a client got past the proxy could
 * make a cache store the answer of one application as that of another.
 */
export function refuseTwoHosts({ sessionDomain, trustedProxies }: HostOptions) {
  const end = `.${sessionDomain}`
  return function refuseTwoHosts(ctx: Context, next: Next): Promise<void> {
    const forwarded = forwardedAuthority(ctx, trustedProxies)
    const host = nameOf(authorityOf(ctx))
    if (forwarded !== undefined && nameOf(forwarded) !== host && host.endsWith(end)) {
      throw invalidRequest([{ path: 'X-Forwarded-Host', message: 'Must be the same as Host.' }])
    }
    return next()
  }
}

/** The host the outermost trusted proxy received: each proxy appends its own, so earlier entries come from the client. */
function forwardedAuthority(
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
function authorityOf({ req: { headers, url = '' } }: Context): string {
  return absoluteForm.exec(url)?.[1] ?? headers.host ?? ''
}

/** The host name in lower case, without port and trailing dot. */
function nameOf(authority: string): string {
  return authority.trim().toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
}

/**
 * Finds the application of a host under the session domain. Without one, every path is `not_found`. Only origins that the application
 * allows may send credentials.
 */
export function findApplication(find: (appId: string) => Promise<ServedApp | undefined>) {
  return async function findApplication(ctx: Context, next: Next): Promise<void> {
    const { sessionHost } = ctx.state
    if (sessionHost === undefined) return next()
    const app = await find(sessionHost)
    // what was held before may have been of a moment ago
    const isAllowed = allowOrigin(ctx, app)
    if (!app) throw new Failure('not_found', 'There is nothing at this address.')
    ctx.state.app = app
    if (isAllowed && isPreflight(ctx)) allowPreflight(ctx)
    else await next()
  }
}

const misdirected =
  'This instance only runs the projections (VIGIL_ROLE=projector): send requests to one with the role api or all.'

/**
 * Lets an instance that only runs projections serve health and metrics only. Throws `misdirected_request` for all else (RFC 9110,
 * 15.5.20), never `not_found`, which could be read as an answer about the resource.
 */
export function refuseMisdirected(role: Role | undefined) {
  return function refuseMisdirected(ctx: Context, next: Next): Promise<void> {
    if (role === 'projector' && !isMonitoring(ctx)) {
      throw new Failure('misdirected_request', misdirected)
    }
    return next()
  }
}

function isMonitoring({ state, path }: Context): boolean {
  return state.sessionHost === undefined && (path.startsWith('/health/') || path === '/metrics')
}
