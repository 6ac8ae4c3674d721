/** Signs people in to the console, and passes requests of its pages to the routes of the API. */

import type { Next } from 'koa'
import { openToken, sealToken } from '../../auth/sealedToken.ts'
import { Failure } from '../../domain/failure.ts'
import { readBearerToken } from '../request/access.ts'
import { truncate } from '../request/errorBodies.ts'
import type { Context } from '../request/requestContext.ts'

const sessionPath = '/console/session'
const apiPath = '/console/api'
const sessionSeconds = 8 * 3_600

/**
 * `POST /console/session` exchanges a bearer token for a cookie that holds it sealed, and answers as `/v2/whoami` does;
 * `DELETE` removes the cookie. A request below `/console/api` is served as the same request to the API with that token,
 * which is checked anew each time. Throws `missing_api_token` without a session, `origin_not_allowed` for a page of
 * another origin.
 */
export function passConsoleRequests(ctx: Context, next: Next): Promise<void> {
  const { path } = ctx.request
  if (ctx.state.sessionHost !== undefined) return next()
  if (path === sessionPath) return changeSession(ctx, next)
  return path.startsWith(`${apiPath}/`) ? passToApi(ctx, next) : next()
}

async function changeSession(ctx: Context, next: Next): Promise<void> {
  if (ctx.method !== 'POST' && ctx.method !== 'DELETE') {
    ctx.res.setHeader('Allow', 'POST, DELETE')
    throw new Failure('method_not_allowed', 'The path does not have this method; see Allow.')
  }
  requireOwnOrigin(ctx)
  if (ctx.method === 'DELETE') {
    setCookie(ctx, '', 0)
    ctx.status = 204
    return
  }
  const token = readBearerToken(ctx.req)
  const { clock, random } = ctx.service.context
  ctx.method = 'GET'
  ctx.path = '/v2/whoami'
  await next()
  const sealing = { key: sealingKey(ctx), random: random.bytes }
  setCookie(ctx, sealToken(token, clock.nowMs() + sessionSeconds * 1_000, sealing), sessionSeconds)
}

async function passToApi(ctx: Context, next: Next): Promise<void> {
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD'
  // a page of a neighbour below the same domain sends the cookie along
  const isForeign = /^(?:cross|same)-site$/.test(String(ctx.req.headers['sec-fetch-site']))
  if (!isRead || isForeign) requireOwnOrigin(ctx)
  const sealed = ctx.cookies.get(cookieName(ctx)) ?? ''
  const token = openToken(sealed, sealingKey(ctx), ctx.service.context.clock.nowMs())
  if (token === undefined) {
    throw new Failure('missing_api_token', 'There is no session of the console, or it is over.')
  }
  ctx.state.consoleToken = token
  ctx.path = ctx.path.slice(apiPath.length)
  await next()
}

/** Throws `origin_not_allowed`, with what was compared, for an operator whose proxy changes the host. */
function requireOwnOrigin(ctx: Context): void {
  const { origin = 'none', host = '' } = ctx.req.headers
  const isOwn = [host, ctx.host].some(
    (own) => own !== '' && /^https?:\/\/(.*)$/.exec(origin)?.[1] === own,
  )
  if (isOwn) return
  const message = `Only pages of the console itself may do this. Origin: ${truncate(origin, 200)}, Host: ${truncate(host, 200)}; a proxy in front must pass Host on as it came.`
  throw new Failure('origin_not_allowed', message)
}

function setCookie(ctx: Context, value: string, seconds: number): void {
  const { origin = '' } = ctx.req.headers
  // also where a proxy ends TLS and does not say so
  const isEncrypted = ctx.secure || origin.startsWith('https:')
  const cookie = `${cookieName(ctx)}=${value}; Path=${apiPath}; Max-Age=${seconds}; HttpOnly; SameSite=Strict`
  ctx.res.setHeader('Set-Cookie', isEncrypted ? `${cookie}; Secure` : cookie)
}

/** With the port: the cookies of a host are sent to every port of it. */
function cookieName(ctx: Context): string {
  return `vigil_console_${/:(\d+)$/.exec(ctx.host)?.[1] ?? 'default'}`
}

/** The same on every instance. */
function sealingKey({ service }: Context): Uint8Array {
  return Buffer.from(service.context.keyring.digest('console', 'sealed tokens'), 'base64url')
}
