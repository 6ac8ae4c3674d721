/** Declares the routes for starting, listing and ending a user's sessions, and granting scopes. */

import {
  grantScope,
  scopeGrantSchema,
  scopeInputSchema,
} from '../../commands/sessions/grantScope.ts'
import { revokeUserSession, revokeUserSessions } from '../../commands/sessions/revokeSessions.ts'
import {
  sessionInputSchema,
  startedSessionSchema,
  startSession,
} from '../../commands/sessions/startSession.ts'
import { activeSessionsSchema, listUserSessions } from '../../queries/sessions/sessions.ts'
import { removed, seenPage, written } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { pageQuery } from '../request/queryReader.ts'
import type { Route, Served } from '../request/route.ts'
import { type AppBase, forBoth, userIn } from './appBase.ts'

type Context = Served['context']

const path = '/{appID}/users/{userID}/sessions'

/** `/v2/session/apps/{appID}/users/{userID}/sessions` and `…/scopes` for the account itself, and the same for the operator. */
export function userSessionRoutes(service: Served): readonly Route[] {
  const { context } = service
  return forBoth((base) => [
    ...startingRoutes(context, base),
    ...endingRoutes(context, base),
    grantRoute(context, base),
  ])
}

function startingRoutes(context: Context, { at }: AppBase): readonly Route[] {
  return [
    defineRoute({
      ...at('startSession', path),
      method: 'POST',
      summary: 'Start a session of a user whom your back end has authenticated',
      kind: 'write',
      body: schemaBody(sessionInputSchema),
      answers: {
        201: { description: 'The session and its tokens.', schema: startedSessionSchema },
      },
      failures: ['conflict'],
      serve: async (asked) => {
        const session = { user: userIn(asked), input: asked.body }
        return written(201, await startSession(context, asked.call, session))
      },
    }),
    defineRoute({
      ...at('listUserSessions', path),
      method: 'GET',
      summary: 'List the active sessions of a user, last seen first',
      kind: 'read',
      query: pageQuery,
      answers: { 200: { description: 'One page of sessions.', schema: activeSessionsSchema } },
      failures: [],
      serve: async (asked) =>
        seenPage('sessions', await listUserSessions(context, userIn(asked), asked.query)),
    }),
  ]
}

function endingRoutes(context: Context, { at }: AppBase): readonly Route[] {
  return [
    defineRoute({
      ...at('revokeUserSessions', path),
      method: 'DELETE',
      summary: 'End all sessions of a user',
      kind: 'write',
      answers: { 204: { description: 'All earlier sessions have ended.' } },
      failures: ['invalid_request', 'conflict'],
      serve: async (asked) => removed(await revokeUserSessions(context, asked.call, userIn(asked))),
    }),
    defineRoute({
      ...at('revokeUserSession', `${path}/{sessionID}`),
      method: 'DELETE',
      summary: 'End a session of a user; one that is over is no error',
      kind: 'write',
      answers: { 204: { description: 'The session has ended.' } },
      failures: ['invalid_request', 'conflict'],
      serve: async (asked) => {
        const session = { user: userIn(asked), sessionId: asked.ids['sessionID'] ?? '' }
        return removed(await revokeUserSession(context, asked.call, session))
      },
    }),
  ]
}

function grantRoute(context: Context, { at }: AppBase): Route {
  return defineRoute({
    ...at('grantScope', '/{appID}/users/{userID}/scopes'),
    method: 'POST',
    summary: "Grant a scope to a user's sessions for one use; their next access token has it",
    kind: 'write',
    body: schemaBody(scopeInputSchema),
    answers: { 201: { description: 'The grant.', schema: scopeGrantSchema } },
    failures: ['conflict'],
    serve: async (asked) => {
      const scope = { user: userIn(asked), input: asked.body }
      return written(201, await grantScope(context, asked.call, scope))
    },
  })
}
