/** Declares the routes that refresh and end a session by its refresh token (header or cookie). */

import {
  type RefreshRequest,
  refreshSession,
  revokeSessionByToken,
  type SessionTokens,
} from '../../commands/sessions/refreshSession.ts'
import { closedObject } from '../../domain/jsonSchema.ts'
import type { ServedApp } from '../../domain/sessions/appSettings.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { accessTokenSchema } from '../../state/sessions/accessTokens.ts'
import { enforceRateLimits, type RateLimit, type TokenBuckets } from '../middleware/limitRates.ts'
import type { Access } from '../request/access.ts'
import { optionalBody } from '../request/body/bodyReader.ts'
import { readConnectionCountry, type TrustedProxies } from '../request/clientConnection.ts'
import type { Context } from '../request/requestContext.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { hostRouteDefaults, requireServedApp } from './hostAccess.ts'

/**
 * Of one session. A client that has lost an answer and waits as long as told, which is ten seconds at the most, is
 * still in time for it.
 */
export const refreshRateLimit = { burst: 20, perSecond: 1 / 5 } as const satisfies RateLimit

/** Nothing that can be sent has a meaning yet, so nothing is taken. */
const nothing = closedObject('Nothing', {})

const common = { ...hostRouteDefaults, method: 'POST', body: optionalBody(nothing) } as const

/** `POST /v1/session/refresh` and `POST /v1/session/revoke`. */
export function refreshRoutes(
  source: TrustedProxies & { readonly rates: TokenBuckets },
): readonly Route[] {
  const access = refreshAccess(source)
  const refreshing = defineRoute({
    ...common,
    access,
    path: '/v1/session/refresh',
    operationId: 'refreshSession',
    summary: 'Get a new access token, and a new refresh token in place of the one presented',
    headers: [
      {
        name: 'DPoP',
        description: 'A proof by the key of the session (RFC 9449): ES256, with the nonce given.',
        schema: { type: 'string' },
      },
    ],
    answers: {
      200: {
        description: 'The access token; the refresh token stands in a header.',
        schema: accessTokenSchema,
        headers: {
          'X-Refresh-Token': 'The refresh token from now on.',
          'X-Refresh-Token-Expires-At': 'When it expires with its session; ISO 8601 UTC.',
          'DPoP-Nonce': 'For the proof of the next refresh.',
          'Set-Cookie': 'The refresh token, for those who sent it in a cookie.',
        },
      },
    },
    failures: [
      'missing_dpop_proof',
      'invalid_dpop_proof',
      'use_dpop_nonce',
      'dpop_key_mismatch',
      'conflict',
      'rate_limited',
    ],
    serve: async ({ context, call: { principal: caller, requestId } }) => {
      const countRefresh = async (key: string) =>
        enforceRateLimits(source.rates, {
          owner: caller.app.account,
          buckets: [{ rate: refreshRateLimit, kind: 'refresh', key }],
          message: 'The session is refreshed too often; try again later.',
          // a refresh takes two requests where its nonce is too old: the first one is answered with a new nonce
          moreSeconds: 1 / refreshRateLimit.perSecond,
        })
      const tokens = await refreshSession(context, { ...caller, requestId, countRefresh })
      return { value: tokens.access, headers: buildTokenHeaders(caller, tokens) }
    },
  })
  const revoking = defineRoute({
    ...common,
    access,
    path: '/v1/session/revoke',
    operationId: 'revokeSession',
    summary: 'End the session of the refresh token; one that is over is no error',
    answers: { 204: { description: 'The session has ended.' } },
    failures: ['conflict'],
    serve: async ({ context, call: { principal: caller, requestId } }) => {
      await revokeSessionByToken(context, { ...caller, requestId })
      return { headers: buildCookieHeader(caller, '', 0) }
    },
  })
  return [refreshing, revoking]
}

type Headers = Readonly<Record<string, string>>

function buildTokenHeaders(caller: TokenCaller, tokens: SessionTokens): Headers {
  const { refreshToken, refreshExpiresAtMs: refreshExpiresAt, dpopNonce } = tokens
  return {
    'X-Refresh-Token': refreshToken,
    'X-Refresh-Token-Expires-At': isoTime(refreshExpiresAt),
    'DPoP-Nonce': dpopNonce,
    ...buildCookieHeader(caller, refreshToken, refreshExpiresAt),
  }
}

/** For this host alone (no `Domain`), unseen by scripts, over TLS only, and never sent from another site's page. */
function buildCookieHeader(
  { app, hasCookie }: TokenCaller,
  value: string,
  expiresAt: number,
): Headers {
  if (!hasCookie) return {}
  const expires = new Date(expiresAt).toUTCString()
  const attributes = `Path=/v1/session; Expires=${expires}; Secure; HttpOnly; SameSite=Strict`
  return { 'Set-Cookie': `${getCookieName(app)}=${value}; ${attributes}` }
}

interface TokenCaller extends Omit<RefreshRequest, 'requestId' | 'countRefresh'> {
  /** Whether the token came in the cookie, or beside it: the cookie is then updated. */
  readonly hasCookie: boolean
}

/** Whether the token is good says the service. */
function refreshAccess(source: TrustedProxies): Access<TokenCaller> {
  return () => ({ admits: 'refresh_token', admit: async (ctx) => readTokenCaller(ctx, source) })
}

function readTokenCaller(ctx: Context, source: TrustedProxies): TokenCaller {
  const app = requireServedApp(ctx)
  const cookie = readCookie(ctx, app)
  return {
    app,
    token: readHeader(ctx, 'x-refresh-token') ?? cookie,
    hasCookie: cookie !== undefined,
    proof: readHeader(ctx, 'dpop'),
    countryCode: readConnectionCountry(ctx.req, source),
    target: {
      method: ctx.method,
      host: ctx.state.authority ?? '',
      path: ctx.path,
      isSecure: ctx.secure,
    },
  }
}

function readHeader({ req: { headers } }: Context, name: string): string | undefined {
  const text = headers[name]
  return text === undefined || text === '' ? undefined : String(text)
}

function getCookieName({ appId }: Pick<ServedApp, 'appId'>): string {
  return `__refresh_${appId}`
}

/**
 * Browsers send the cookie for pages of any site, so it is accepted only for origins that the application allows and
 * for requests without an origin. Of two cookies of one name, the first has the longer path.
 */
function readCookie({ req: { headers } }: Context, app: ServedApp): string | undefined {
  const { origin, cookie = '' } = headers
  if (origin !== undefined && !app.settings.allowed_origins.includes(origin)) return undefined
  const start = `${getCookieName(app)}=`
  const pair = cookie.split(';').find((one) => one.trim().startsWith(start))
  const value = pair?.trim().slice(start.length)
  return value === '' ? undefined : value
}
