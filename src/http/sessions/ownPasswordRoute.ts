/** A user changes the password (spec 4.4). */

import { passwordScope } from '../../domain/sessionScopes.ts'
import type { PasswordInput } from '../../service/sessions/passwordsPart.ts'
import type { SessionsPart } from '../../service/sessions/sessionsPart.ts'
import { schemaBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { userAccess } from '../request/userAccess.ts'
import type { PasswordLimits } from './passwordLimits.ts'
import { passwordInputSchema } from './passwordRoutes.ts'

/** `POST /v1/session/me/password/reset` of the host of an application. */
export function ownPasswordRoute(
  { authenticateUser, passwords }: SessionsPart,
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
    access: userAccess(authenticateUser, passwordScope),
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
      await passwords.changeOwn(call, body)
      return { status: 204 }
    },
  })
}
