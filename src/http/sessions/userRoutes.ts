/** Declares the routes for users of an application, their sessions and scopes. */

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
import { createUser, deleteUser, userInputSchema } from '../../commands/sessions/users/users.ts'
import { userSchema } from '../../commands/sessions/views.ts'
import { pageSchema } from '../../domain/schema.ts'
import {
  type Identifier,
  identifierFields,
  identifierTypePattern,
} from '../../domain/sessions/userIdentifiers.ts'
import { activeSessionsSchema, listUserSessions } from '../../queries/sessions/sessions.ts'
import { findUser, listUsers, type UsersAsked } from '../../queries/sessions/users.ts'
import { removed, seen, seenPage, written } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { minPositionQuery, pageQuery, type QueryReader } from '../request/queryReader.ts'
import type { Route, RouteDependencies } from '../request/route.ts'
import { appIn, forBoth, type RouteAt, userIn } from './appAccess.ts'

type Context = RouteDependencies['context']

const usersPath = '/{appID}/users'

/** `/v2/session/apps/{appID}/users` for the account itself, and the same for the operator. */
export function userRoutes(service: RouteDependencies): readonly Route[] {
  const { context } = service
  return forBoth((at) => [...listRoutes(context, at), ...itemRoutes(context, at)])
}

function listRoutes(context: Context, at: RouteAt): readonly Route[] {
  return [
    defineRoute({
      ...at('createUser', usersPath),
      method: 'POST',
      summary: 'Create a user of an application',
      kind: 'write',
      body: schemaBody(userInputSchema),
      answers: { 201: { description: 'The user.', schema: userSchema } },
      failures: ['identifier_already_exists', 'conflict'],
      serve: async (asked) => {
        const user = { app: appIn(asked), ...asked.body }
        return written(201, await createUser(context, asked.call, user))
      },
    }),
    defineRoute({
      ...at('listUsers', usersPath),
      method: 'GET',
      summary: 'List the users of an application, or find the one with an identifier',
      kind: 'read',
      query: usersQuery,
      answers: {
        200: {
          description: 'One page of users.',
          schema: pageSchema('UserList', 'users', userSchema),
        },
      },
      failures: ['rate_limited'],
      serve: async (asked) => {
        const users = { app: appIn(asked), asked: asked.query }
        return seenPage('users', await listUsers(context, asked.call, users))
      },
    }),
  ]
}

function itemRoutes(context: Context, at: RouteAt): readonly Route[] {
  return [
    defineRoute({
      ...at('getUser', `${usersPath}/{userID}`),
      method: 'GET',
      summary: 'Retrieve a user of an application',
      kind: 'read',
      query: minPositionQuery,
      answers: { 200: { description: 'The user.', schema: userSchema } },
      failures: [],
      serve: async (asked) => seen(await findUser(context, userIn(asked), asked.query)),
    }),
    defineRoute({
      ...at('deleteUser', `${usersPath}/{userID}`),
      method: 'DELETE',
      summary:
        'Delete a user permanently: ends all sessions, erases password, identifiers and devices. Evaluations, feedback and lists stay, see POST /v2/watch/subjects/erase',
      kind: 'write',
      answers: { 204: { description: 'The user is deleted; idempotent.' } },
      failures: ['invalid_request', 'conflict'],
      serve: async (asked) => removed(await deleteUser(context, asked.call, userIn(asked))),
    }),
  ]
}

const usersQuery: QueryReader<UsersAsked> = {
  parameters: [
    {
      name: 'type',
      description: 'Type of `value`.',
      schema: identifierFields.type,
    },
    {
      name: 'value',
      description: 'Only the user with this identifier.',
      schema: identifierFields.value,
    },
    ...pageQuery.parameters,
  ],
  read: (given, details) => {
    const page = pageQuery.read(given, details)
    const { type, value } = given
    if (type === undefined && value === undefined) return page
    if (type === undefined || value === undefined) {
      const path = type === undefined ? 'type' : 'value'
      details.push({ path, message: 'type and value are given together.' })
      return page
    }
    if (!identifierTypes.test(type)) details.push({ path: 'type', message: notType })
    return { ...page, identifier: identifierOf(type, value) }
  },
}

const identifierTypes = new RegExp(identifierTypePattern)
const notType =
  'Must be up to 32 lower-case letters, digits and underscores, beginning with a letter.'

/** A `+` that was not encoded arrives as a space, and no number begins with one. */
function identifierOf(type: string, value: string): Identifier {
  const isNumber = type === 'phone_number' && value.startsWith(' ')
  return { type, value: isNumber ? `+${value.trimStart()}` : value }
}

const sessionsPath = '/{appID}/users/{userID}/sessions'

/** `/v2/session/apps/{appID}/users/{userID}/sessions` and `…/scopes` for the account itself, and the same for the operator. */
export function userSessionRoutes(service: RouteDependencies): readonly Route[] {
  const { context } = service
  return forBoth((at) => [
    ...startingRoutes(context, at),
    ...endingRoutes(context, at),
    grantRoute(context, at),
  ])
}

function startingRoutes(context: Context, at: RouteAt): readonly Route[] {
  return [
    defineRoute({
      ...at('startSession', sessionsPath),
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
      ...at('listUserSessions', sessionsPath),
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

function endingRoutes(context: Context, at: RouteAt): readonly Route[] {
  return [
    defineRoute({
      ...at('revokeUserSessions', sessionsPath),
      method: 'DELETE',
      summary: 'End all sessions of a user',
      kind: 'write',
      answers: { 204: { description: 'All earlier sessions have ended.' } },
      failures: ['invalid_request', 'conflict'],
      serve: async (asked) => removed(await revokeUserSessions(context, asked.call, userIn(asked))),
    }),
    defineRoute({
      ...at('revokeUserSession', `${sessionsPath}/{sessionID}`),
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

function grantRoute(context: Context, at: RouteAt): Route {
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
