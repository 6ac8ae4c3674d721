/** Says whether a request is for the host of an application: `{appId}.{SESSION_DOMAIN}`. */

import type { Next } from 'koa'
import { invalidRequest } from '../../domain/failure.ts'
import type { Context } from '../request/context.ts'

interface HostOptions {
  /** In lower case. */
  readonly sessionDomain: string
  /** Proxies in front whose `X-Forwarded-Host` is believed. */
  readonly trustedProxies: number
}

/**
 * What stands before the domain is kept as it is: whether an application is called so is asked later. Every other host is the main one.
 */
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
 * Throws `invalid_request` for a request whose proxy was asked for another host than the application it asks for: a header that a client
 * got past it, by which a cache in front would keep the answer of one application as that of another.
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

/** What the outermost of the trusted proxies was asked for: each appends what it was, so whatever stands before is the client's word. */
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

/** Of a target in absolute form, whatever `Host` says (RFC 9112, 3.2.2). */
function authorityOf({ req: { headers, url = '' } }: Context): string {
  return absoluteForm.exec(url)?.[1] ?? headers.host ?? ''
}

/** In lower case, without port and without the dot of a whole name. */
function nameOf(authority: string): string {
  return authority.trim().toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
}
