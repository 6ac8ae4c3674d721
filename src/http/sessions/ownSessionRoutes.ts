/** Declares the routes for listing and ending the calling user's own sessions (spec 4.5). */

import {
  type Revocation,
  revokeOwnSessions,
  revokeTargets,
} from '../../commands/sessions/revokeSessions.ts'
import type { FailureDetail } from '../../domain/failure.ts'
import {
  listOwnSessions,
  ownSessionsSchema,
  type SessionListQuery,
} from '../../queries/sessions/sessions.ts'
import {
  buildBuckets,
  enforceRateLimits,
  type RateLimit,
  type TokenBuckets,
} from '../middleware/limitRates.ts'
import {
  buildQueryReader,
  numberParameter,
  type QueryReader,
  type QueryTexts,
  withFallback,
} from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { hostRouteDefaults, userAccess } from './hostAccess.ts'

/** Once so many were used, one more in every ten or five seconds: a page of sessions can be ended one by one. */
export const revocationRates = {
  /** From one session, and of one user from all sessions. */
  session: { burst: 20, perSecond: 1 / 10 },
  user: { burst: 40, perSecond: 1 / 5 },
} as const satisfies Record<string, RateLimit>

const sessionsQuery: QueryReader<SessionListQuery> = {
  ...buildQueryReader({
    limit: withFallback(
      numberParameter('limit', 'How many sessions at most.', { min: 1, max: 100 }),
      10,
    ),
    offset: withFallback(
      numberParameter('offset', 'How many are left out, of those seen last.'),
      0,
    ),
  }),
  failureCodes: { limit: 'invalid_pagination_limit', offset: 'invalid_pagination_offset' },
}

const revocationQuery: QueryReader<Revocation> = {
  parameters: [
    {
      name: 'target',
      description: 'Every session, every other one, the one that asks, or the one of session_id.',
      schema: { type: 'string', enum: revokeTargets },
      required: true,
    },
    {
      name: 'session_id',
      description: 'The session to end, where target is session.',
      schema: { type: 'string' },
    },
  ],
  read: readRevocation,
}

/** `GET /v1/session/me/list` and `POST /v1/session/me/revoke` of the host of an application. */
export function ownSessionRoutes(rates: TokenBuckets): readonly Route[] {
  return [
    defineRoute({
      ...hostRouteDefaults,
      access: userAccess(),
      method: 'GET',
      path: '/v1/session/me/list',
      operationId: 'listOwnSessions',
      summary: 'List the active sessions of the user, the one seen last first',
      query: sessionsQuery,
      answers: { 200: { description: 'A part of them.', schema: ownSessionsSchema } },
      failures: ['invalid_pagination_limit', 'invalid_pagination_offset'],
      serve: async ({ context, call, query }) => ({
        value: await listOwnSessions(context, call.principal, query),
      }),
    }),
    defineRoute({
      ...hostRouteDefaults,
      access: userAccess(),
      method: 'POST',
      path: '/v1/session/me/revoke',
      operationId: 'revokeOwnSessions',
      summary: 'End sessions of the user; again is no error',
      query: revocationQuery,
      answers: { 204: { description: 'Their tokens are refused from now on.' } },
      failures: ['not_found', 'conflict', 'rate_limited'],
      serve: async ({ context, call, query }) => {
        const { accountId: owner, userId: user, sessionId: session } = call.principal
        enforceRateLimits(rates, {
          owner,
          buckets: buildBuckets('revocation', revocationRates, { session, user }),
          message: 'Sessions are ended too often; try again later.',
        })
        await revokeOwnSessions(context, call, query)
        return {}
      },
    }),
  ]
}

function readRevocation(
  { target: given, session_id: sessionId }: QueryTexts,
  details: FailureDetail[],
): Revocation {
  const target = revokeTargets.find((known) => known === given)
  if (!target) {
    details.push({ path: 'target', message: `Must be one of ${revokeTargets.join(', ')}.` })
    return { target: 'mine' }
  }
  if (target !== 'session') {
    const message = 'Must be left out unless target is session.'
    if (sessionId !== undefined) details.push({ path: 'session_id', message })
    return { target }
  }
  if (sessionId === undefined || sessionId === '') {
    details.push({ path: 'session_id', message: 'Is required where target is session.' })
  }
  return { target, sessionId }
}
