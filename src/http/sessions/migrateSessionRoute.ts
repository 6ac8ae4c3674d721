/** Declares the route that exchanges a legacy token for a new session, with rate limits. */

import { hash } from 'node:crypto'
import { migrateSession } from '../../commands/sessions/migration/migrateSession.ts'
import { closedObject } from '../../domain/jsonSchema.ts'
import type { ServedApp } from '../../domain/sessions/appSettings.ts'
import { accessTokenSchema } from '../../state/sessions/accessTokens.ts'
import {
  buildBuckets,
  enforceRateLimits,
  type RateLimit,
  type TokenBuckets,
} from '../middleware/limitRates.ts'
import type { Access } from '../request/access.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import {
  readClientNetwork,
  readConnectionCountry,
  type TrustedProxies,
} from '../request/clientConnection.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { hostRouteDefaults, requireServedApp } from './hostAccess.ts'

export const migrateSessionRates = {
  /** From one address: people behind the same one share it. */
  address: { burst: 30, perSecond: 1 },
  /** With one token: a retry after a lost answer, and little more. */
  token: { burst: 5, perSecond: 1 / 60 },
  /** To one application, whose customer is asked each time. */
  app: { burst: 200, perSecond: 50 },
} as const satisfies Record<string, RateLimit>

const presentedSchema = closedObject('LegacySession', {
  token: {
    type: 'string',
    minLength: 1,
    maxLength: 8_192,
    writeOnly: true,
    description: 'What the system before knows the session by.',
  },
})

/** `POST /v1/session/migration` of the host of an application. */
export function migrateSessionRoute(
  options: TrustedProxies & { readonly rates: TokenBuckets },
): Route {
  return defineRoute({
    ...hostRouteDefaults,
    method: 'POST',
    path: '/v1/session/migration',
    operationId: 'migrateSession',
    summary:
      'Start a session in place of one of the system before, if your back end says it is valid',
    access: presenterAccess(options),
    body: schemaBody(presentedSchema),
    answers: {
      200: {
        description: 'The access token; the refresh token stands in a header.',
        schema: accessTokenSchema,
        headers: {
          'X-Refresh-Token': 'The refresh token, which is bound to a key by the first refresh.',
          'X-Refresh-Token-Expires-At': 'When it expires with its session; ISO 8601 UTC.',
        },
      },
    },
    failures: [
      'invalid_api_token',
      'not_configured',
      'conflict',
      'rate_limited',
      'session_validation_failed',
    ],
    serve: async ({ context, call: { principal, requestId }, body: { token } }) => {
      const { app, address, countryCode } = principal
      enforceRateLimits(options.rates, {
        owner: app.account,
        // a caller that asks too much takes nothing from what the application has for others
        buckets: buildBuckets('migration', migrateSessionRates, {
          address: `${app.appId} ${address}`,
          token: hash('sha256', `${app.appId} ${token}`, 'base64'),
          app: app.appId,
        }),
        message: 'Too many sessions were presented; try again later.',
      })
      const started = await migrateSession(context, { app, requestId, token, countryCode })
      const { access_token, expires_at, refresh_token, refresh_token_expires_at } = started
      return {
        value: { access_token, expires_at },
        headers: {
          'X-Refresh-Token': refresh_token,
          'X-Refresh-Token-Expires-At': refresh_token_expires_at,
        },
      }
    },
  })
}

/** A caller that presents a token on the host of an application. */
interface Presenter {
  readonly app: ServedApp
  readonly address: string
  readonly countryCode: string | undefined
}

function presenterAccess(proxies: TrustedProxies): Access<Presenter> {
  return () => ({
    admits: 'anyone',
    admit: async (ctx) => ({
      app: requireServedApp(ctx),
      address: readClientNetwork(ctx.req, proxies),
      countryCode: readConnectionCountry(ctx.req, proxies),
    }),
  })
}
