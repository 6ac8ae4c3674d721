/** A session of the system before becomes one of the application. */

import { networkOf } from '../../domain/ipAddress.ts'
import type { LegacyToken } from '../../service/sessions/migrationPart.ts'
import type { SessionsPart } from '../../service/sessions/sessionsPart.ts'
import type { Rates } from '../middleware/rates.ts'
import type { Access } from '../request/access.ts'
import { applicationAccess } from '../request/applicationAccess.ts'
import { schemaBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { inputSchema } from '../request/fields.ts'
import { noQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { clientAddress } from '../signals/clientAddress.ts'
import { openMigrationLimits, type Presenter } from './migrationLimits.ts'
import { accessAnswer } from './refreshRoutes.ts'
import { type CountrySight, seenCountry } from './seenCountry.ts'

type Presented = Pick<LegacyToken, 'token'>

const presentedSchema = inputSchema<Presented>('LegacySession', {
  token: {
    type: 'string',
    minLength: 1,
    maxLength: 8_192,
    writeOnly: true,
    description: 'What the system before knows the session by.',
  },
})

interface Door extends CountrySight {
  readonly rates: Rates
}

/** `POST /v1/session/migration` of the host of an application. */
export function migrateSessionRoute(
  { migrateSession }: Pick<SessionsPart, 'migrateSession'>,
  door: Door,
): Route {
  const limits = openMigrationLimits(door.rates)
  return defineRoute({
    host: 'session',
    method: 'POST',
    path: '/v1/session/migration',
    operationId: 'migrateSession',
    summary:
      'Start a session in place of one of the system before, if your back end says it is valid',
    tag: 'Sessions',
    kind: 'plain',
    access: presenterAccess(door),
    ids: {},
    query: noQuery,
    body: schemaBody<Presented>(presentedSchema),
    answers: {
      200: {
        description: 'The access token; the refresh token stands in a header.',
        schema: accessAnswer,
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
    serve: async ({ call: { principal, requestId }, body: { token } }) => {
      await limits.take(principal, token)
      const { app, countryCode } = principal
      const started = await migrateSession({ app, requestId, token, countryCode })
      const { access_token, expires_at, refresh_token, refresh_token_expires_at } = started
      return {
        status: 200,
        body: { access_token, expires_at },
        headers: {
          'X-Refresh-Token': refresh_token,
          'X-Refresh-Token-Expires-At': refresh_token_expires_at,
        },
      }
    },
  })
}

interface Visitor extends Presenter {
  readonly countryCode: string | undefined
}

function presenterAccess(sight: CountrySight): Access<Visitor> {
  return (method) => {
    const { admits, admit } = applicationAccess(method)
    return {
      admits,
      admit: async (ctx) => {
        const app = await admit(ctx)
        const { req } = ctx
        const address = clientAddress(req, sight.trustedProxies) ?? req.socket.remoteAddress ?? ''
        const countryCode = seenCountry(req, sight)
        return { app, address: networkOf(address.slice(0, addressMax)), countryCode }
      },
    }
  }
}

/** In characters: what a proxy passes on may be anything. */
const addressMax = 64
