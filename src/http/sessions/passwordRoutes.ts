/** Routes setting, checking and changing user passwords, with rate limits. */

import {
  changeOwnPassword,
  type PasswordInput,
  setPassword,
} from '../../commands/sessions/passwords/changePassword.ts'
import {
  checkPassword,
  type PasswordCheck,
} from '../../commands/sessions/passwords/checkPassword.ts'
import type { UserRef } from '../../commands/sessions/sessionsContext.ts'
import { Failure } from '../../domain/failure.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { networkOf } from '../../domain/network/ipAddress.ts'
import { type Principal, passwordScope } from '../../domain/principal.ts'
import type { PasswordPolicy } from '../../domain/sessions/appSettings.ts'
import type { PasswordMeter } from '../../metrics/meters.ts'
import type { RateBucket, RateLimit, Rates } from '../middleware/limitRates.ts'
import { removed } from '../request/answer.ts'
import { noBody, schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { inputSchema, optional, viewSchema } from '../request/schema/fields.ts'
import { limits, type Schema } from '../request/schema/schema.ts'
import { applicationAccess } from '../request/userAccess.ts'
import {
  type AppBase,
  accountBase,
  operatorBase,
  type SessionsService,
  sessionUserAccess,
} from './appBase.ts'
import { passwordPolicyFields } from './appRoutes.ts'
import { userRef } from './userRoutes.ts'

const policySchema = viewSchema<PasswordPolicy>('PasswordCompliancy', passwordPolicyFields)

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

const password: Schema = {
  type: 'string',
  writeOnly: true,
  description: 'Compared in Unicode form NFC; every character counts, spaces among them.',
}

const passwordInputSchema: Schema = inputSchema<PasswordInput>('PasswordInput', { password })

/** What is asked about a password. */
interface PasswordQuestion extends PasswordInput {
  readonly client?: string
}

const questionSchema: Schema = inputSchema<PasswordQuestion>('PasswordQuestion', {
  password,
  client: optional({
    type: 'string',
    minLength: 1,
    maxLength: limits.id,
    description:
      'From where the user signs in: the IP address or the id of the device. Each client is kept to ten a minute, and who guesses from one does not lock the user out of the others.',
  }),
})

const checkSchema: Schema = viewSchema<PasswordCheck>('PasswordCheck', {
  valid: { type: 'boolean', description: 'False, too, for a user whom there is not.' },
})

/** `…/users/{userID}/password` for the account itself, and the same for the operator. */
export function passwordRoutes(service: SessionsService, limits: PasswordLimits): readonly Route[] {
  const routesOf = <Caller extends Principal>(base: AppBase<Caller>) => [
    setRoute(service, base),
    checkRoute(service, base, limits),
  ]
  return [...routesOf(accountBase(service)), ...routesOf(operatorBase(service))]
}

function setRoute<Caller extends Principal>(
  { sessionsContext: context }: SessionsService,
  base: AppBase<Caller>,
): Route {
  const { path, tag, access, ids, operation } = base
  return defineRoute({
    method: 'PUT',
    path: `${path}/{appID}/users/{userID}/password`,
    operationId: operation('setPassword'),
    summary: 'Give a user a password; the sessions begun with the one before end',
    tag,
    kind: 'write',
    access,
    ids: { ...ids, appID: 'app', userID: idPrefixes.user },
    query: noQuery,
    body: schemaBody<PasswordInput>(passwordInputSchema),
    answers: { 204: { description: 'It is the password of the user from now on.' } },
    failures: ['invalid_password', 'conflict', 'rate_limited'],
    serve: async (asked) => {
      const change = { user: userRef(base, asked), ...asked.body }
      return removed(await setPassword(context, asked.call, change))
    },
  })
}

function checkRoute<Caller extends Principal>(
  { sessionsContext: context }: SessionsService,
  base: AppBase<Caller>,
  { check }: PasswordLimits,
): Route {
  const { path, tag, access, ids, operation } = base
  return defineRoute({
    method: 'POST',
    path: `${path}/{appID}/users/{userID}/password/check`,
    operationId: operation('checkPassword'),
    summary: 'Ask whether a user has a password; a few times a minute for each user',
    tag,
    kind: 'plain',
    access,
    ids: { ...ids, appID: 'app', userID: idPrefixes.user },
    query: noQuery,
    body: schemaBody<PasswordQuestion>(questionSchema),
    answers: { 200: { description: 'Whether it is.', schema: checkSchema } },
    failures: ['rate_limited'],
    serve: async (asked) => {
      const user = userRef(base, asked)
      const { client, password } = asked.body
      await check(user, client)
      return { status: 200, body: await checkPassword(context, asked.call, { user, password }) }
    },
  })
}

/** Each rejects `rate_limited` for one too many, and like `Rates`. */
export interface PasswordLimits {
  readonly check: (user: UserRef, client: string | undefined) => Promise<void>
  readonly change: (user: UserRef, sessionId: string) => Promise<void>
}

interface PasswordLimitsOptions {
  readonly rates: Rates
  readonly meter: Pick<PasswordMeter, 'refused'>
}

/** The limits of what these rates count. */
export function openPasswordLimits({ rates, meter }: PasswordLimitsOptions): PasswordLimits {
  const take = async (account: string, ...buckets: readonly RateBucket[]): Promise<void> => {
    const { allowed, waitSeconds } = await rates.take(account, buckets)
    if (allowed) return
    meter.refused('rate_limited')
    throw new Failure(
      'rate_limited',
      'Too many passwords of this user or client; try again later.',
      {
        retryAfterSeconds: waitSeconds,
      },
    )
  }
  return {
    check: (user, client) =>
      client === undefined
        ? take(user.account, bucketOf('check', keyOf(user)))
        : take(
            user.account,
            bucketOf('client', `${user.appId} ${networkOf(client)}`),
            bucketOf('clients', keyOf(user)),
          ),
    change: (user, sessionId) =>
      take(user.account, bucketOf('session', sessionId), bucketOf('user', keyOf(user))),
  }
}

function bucketOf(limit: keyof typeof passwordRates, key: string): RateBucket {
  return { rate: passwordRates[limit], kind: `password ${limit}`, key }
}

function keyOf({ appId, userId }: UserRef): string {
  return `${appId} ${userId}`
}

/** `POST /v1/session/me/password/reset` of the host of an application. */
export function ownPasswordRoute(
  { sessionsContext: context }: SessionsService,
  limits: PasswordLimits,
): Route {
  return defineRoute({
    host: 'session',
    method: 'POST',
    path: '/v1/session/me/password/reset',
    operationId: 'changePassword',
    summary: `Change the password; the scope ${passwordScope} is used up by it`,
    tag: 'Sessions',
    kind: 'plain',
    access: sessionUserAccess(context, passwordScope),
    ids: {},
    query: noQuery,
    body: schemaBody<PasswordInput>(passwordInputSchema),
    answers: {
      204: {
        description:
          'It is the password from now on, and sessions have ended as the application is set.',
      },
    },
    failures: ['invalid_password', 'conflict', 'rate_limited'],
    serve: async ({ call, body }) => {
      const { accountId: account, appId, userId, sessionId } = call.principal
      await limits.change({ account, appId, userId }, sessionId)
      await changeOwnPassword(context, call, body)
      return { status: 204 }
    },
  })
}

/** `GET /v1/session/password/compliancy` of the host of an application. */
export function passwordPolicyRoute(): Route {
  return defineRoute({
    host: 'session',
    method: 'GET',
    path: '/v1/session/password/compliancy',
    operationId: 'getPasswordCompliancy',
    summary: 'What a password must have: how many characters, and how many of each kind at least',
    tag: 'Sessions',
    kind: 'plain',
    access: applicationAccess,
    ids: {},
    query: noQuery,
    body: noBody,
    answers: { 200: { description: 'The rules of the application.', schema: policySchema } },
    failures: ['not_found'],
    serve: async ({ call }) => ({ status: 200, body: call.principal.settings.password }),
  })
}
