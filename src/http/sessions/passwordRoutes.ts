/** Declares the routes for setting, checking and changing user passwords, with rate limits. */

import {
  changeOwnPassword,
  passwordInputSchema,
  setPassword,
} from '../../commands/sessions/passwords/changePassword.ts'
import {
  checkPassword,
  passwordCheckSchema,
  passwordQuestionSchema,
} from '../../commands/sessions/passwords/checkPassword.ts'
import { toClientNetwork } from '../../domain/network/ipAddress.ts'
import { passwordScope } from '../../domain/principal.ts'
import { passwordCompliancySchema } from '../../domain/sessions/appSettings.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'
import type { UserRef } from '../../state/sessions/sessionStreamTypes.ts'
import {
  buildBuckets,
  enforceRateLimits,
  type RateLimit,
  type TokenBuckets,
} from '../middleware/limitRates.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { accountAndOperatorRoutes, readUserRef } from './appAccess.ts'
import { applicationAccess, hostRouteDefaults, userAccess } from './hostAccess.ts'

/** Once so many were used, one more in each while. */
export const passwordRates = {
  /** Of one user, by callers that name no client: right and wrong passwords. */
  check: { burst: 10, perSecond: 1 / 60 },
  /** Of one client of an application, and of one user by all clients. */
  client: { burst: 10, perSecond: 10 / 60 },
  clients: { burst: 100, perSecond: 100 / 3_600 },
  /** In one session, and of one user in all sessions. */
  session: { burst: 5, perSecond: 1 / 60 },
  user: { burst: 10, perSecond: 1 / 30 },
} as const satisfies Record<string, RateLimit>

const path = '/{appID}/users/{userID}/password'

/** `…/users/{userID}/password` for the account itself, and the same for the operator. */
export function passwordRoutes(rates: TokenBuckets): readonly Route[] {
  return accountAndOperatorRoutes((at) => [
    defineRoute({
      ...at('setPassword', path),
      method: 'PUT',
      summary: "Set a user's password; earlier sessions end",
      body: schemaBody(passwordInputSchema),
      answers: { 204: { description: 'The password is set.' } },
      failures: ['invalid_password', 'conflict', 'rate_limited'],
      serve: ({ context, body, ...asked }) =>
        setPassword(context, asked.call, { user: readUserRef(asked), ...body }),
    }),
    defineRoute({
      ...at('checkPassword', `${path}/check`),
      method: 'POST',
      summary: "Check a user's password; a few times a minute for each user",
      kind: 'plain',
      body: schemaBody(passwordQuestionSchema),
      answers: {
        200: { description: 'Whether the password is valid.', schema: passwordCheckSchema },
      },
      failures: ['rate_limited'],
      serve: async ({ context, body: { client, password }, ...asked }) => {
        const user = readUserRef(asked)
        const counted = { account: user.account, keys: buildCheckKeys(user, client) }
        countPassword(rates, context.metrics, counted)
        return { value: await checkPassword(context, asked.call, { user, password }) }
      },
    }),
  ])
}

interface Counted {
  readonly account: string
  readonly keys: Partial<Record<keyof typeof passwordRates, string>>
}

/** Throws `rate_limited` for one too many. */
function countPassword(
  rates: TokenBuckets,
  { passwords: meter }: Pick<Metrics, 'passwords'>,
  { account: owner, keys }: Counted,
): void {
  enforceRateLimits(rates, {
    owner,
    buckets: buildBuckets('password', passwordRates, keys),
    message: 'Too many passwords of this user or client; try again later.',
    meter,
  })
}

function buildCheckKeys({ appId, userId }: UserRef, client: string | undefined) {
  const user = `${appId} ${userId}`
  if (client === undefined) return { check: user }
  return { client: `${appId} ${toClientNetwork(client)}`, clients: user }
}

/** `POST /v1/session/me/password/reset` of the host of an application. */
export function ownPasswordRoute(rates: TokenBuckets): Route {
  return defineRoute({
    ...hostRouteDefaults,
    method: 'POST',
    path: '/v1/session/me/password/reset',
    operationId: 'changePassword',
    summary: `Change the password; the scope ${passwordScope} is used up by it`,
    access: userAccess(passwordScope),
    body: schemaBody(passwordInputSchema),
    answers: {
      204: {
        description:
          'It is the password from now on, and sessions have ended as the application is set.',
      },
    },
    failures: ['invalid_password', 'conflict', 'rate_limited'],
    serve: async ({ context, call, body }) => {
      const { accountId: account, appId, userId, sessionId } = call.principal
      const keys = { session: sessionId, user: `${appId} ${userId}` }
      countPassword(rates, context.metrics, { account, keys })
      await changeOwnPassword(context, call, body)
      return {}
    },
  })
}

/** `GET /v1/session/password/compliancy` of the host of an application. */
export const passwordPolicyRoute: Route = defineRoute({
  ...hostRouteDefaults,
  method: 'GET',
  path: '/v1/session/password/compliancy',
  operationId: 'getPasswordCompliancy',
  summary: 'What a password must have: how many characters, and how many of each kind at least',
  access: applicationAccess,
  answers: {
    200: { description: 'The rules of the application.', schema: passwordCompliancySchema },
  },
  failures: ['not_found'],
  serve: async ({ call }) => ({ value: call.principal.settings.password }),
})
