/** Declares the routes for users of an application, their sessions and scopes. */

import {
  grantScope,
  scopeGrantSchema,
  scopeInputSchema,
} from '../../commands/sessions/grantScope.ts'
import { revokeAllUserSessions, revokeUserSession } from '../../commands/sessions/revokeSessions.ts'
import {
  sessionInputSchema,
  startedSessionSchema,
  startSession,
} from '../../commands/sessions/startSession.ts'
import { createUser, deleteUser, userInputSchema } from '../../commands/sessions/users/users.ts'
import { pageSchema } from '../../domain/jsonSchema.ts'
import { identifierFields, identifierTypePattern } from '../../domain/sessions/userIdentifiers.ts'
import { findPersons, type OpenedPerson } from '../../domain/shownPersons.ts'
import { activeSessionsSchema, listUserSessions } from '../../queries/sessions/sessions.ts'
import { listUsers, requireUser, type UserListQuery } from '../../queries/sessions/users.ts'
import { type UserView, userSchema } from '../../state/sessions/views.ts'
import { pageAnswer } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import {
  minPositionQuery,
  pageQuery,
  type QueryReader,
  restorePlus,
} from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { accountAndOperatorRoutes, readAppRef, readUserRef } from './appAccess.ts'

const usersQuery: QueryReader<UserListQuery> = {
  parameters: [
    { name: 'type', description: 'Type of `value`.', schema: identifierFields.type },
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
    const isNumber = type === 'phone_number'
    return { ...page, identifier: { type, value: isNumber ? restorePlus(value) : value } }
  },
}

const identifierTypes = new RegExp(identifierTypePattern)
const notType =
  'Must be up to 32 lower-case letters, digits and underscores, beginning with a letter.'

const usersPath = '/{appID}/users'
const userPath = `${usersPath}/{userID}`
const user = { description: 'The user.', schema: userSchema }
const users = pageSchema('UserList', 'users', userSchema)

/** `/v2/session/apps/{appID}/users` for the account itself, and the same for the operator. */
export const userRoutes: readonly Route[] = accountAndOperatorRoutes((at) => [
  defineRoute({
    ...at('createUser', usersPath),
    method: 'POST',
    summary: 'Create a user of an application',
    body: schemaBody(userInputSchema),
    answers: { 201: user },
    failures: ['identifier_already_exists', 'conflict'],
    serve: ({ context, body, ...asked }) =>
      createUser(context, asked.call, { app: readAppRef(asked), ...body }),
  }),
  defineRoute({
    ...at('listUsers', usersPath),
    method: 'GET',
    summary: 'List the users of an application, or find the one with an identifier',
    query: usersQuery,
    answers: { 200: { description: 'One page of users.', schema: users } },
    failures: ['rate_limited'],
    serve: ({ context, query, ...asked }) =>
      pageAnswer(
        'users',
        listUsers(context, asked.call, { app: readAppRef(asked), asked: query }),
        (items) => items.flatMap(findUserPersons),
      ),
  }),
  defineRoute({
    ...at('getUser', userPath),
    method: 'GET',
    summary: 'Retrieve a user of an application',
    query: minPositionQuery,
    answers: { 200: user },
    serve: async (asked) => {
      const value = await requireUser(asked.context, readUserRef(asked))
      return { value, persons: findUserPersons(value) }
    },
  }),
  defineRoute({
    ...at('deleteUser', userPath),
    method: 'DELETE',
    summary:
      'Delete a user permanently: ends all sessions, erases password, identifiers and devices. Evaluations, feedback and lists stay, see POST /v2/watch/subjects/erase',
    answers: { 204: { description: 'The user is deleted; idempotent.' } },
    serve: (asked) => deleteUser(asked.context, asked.call, readUserRef(asked)),
  }),
])

/** By their numbers and addresses, else by their id. */
function findUserPersons({ id, identifiers }: UserView): readonly OpenedPerson[] {
  const found = findPersons(identifiers)
  return found.length > 0 || identifiers.length === 0 ? found : [{ kind: 'user', value: id }]
}

const sessionsPath = `${userPath}/sessions`

/** `/v2/session/apps/{appID}/users/{userID}/sessions` and `…/scopes`, for the account and for the operator. */
export const userSessionRoutes: readonly Route[] = accountAndOperatorRoutes((at) => [
  defineRoute({
    ...at('startSession', sessionsPath),
    method: 'POST',
    summary: 'Start a session of a user whom your back end has authenticated',
    body: schemaBody(sessionInputSchema),
    answers: {
      201: { description: 'The session and its tokens.', schema: startedSessionSchema },
    },
    serve: ({ context, body: input, ...asked }) =>
      startSession(context, asked.call, { user: readUserRef(asked), input }),
  }),
  defineRoute({
    ...at('listUserSessions', sessionsPath),
    method: 'GET',
    summary: 'List the active sessions of a user, last seen first',
    query: pageQuery,
    answers: { 200: { description: 'One page of sessions.', schema: activeSessionsSchema } },
    serve: ({ context, query, ...asked }) =>
      pageAnswer('sessions', listUserSessions(context, readUserRef(asked), query), () => [
        { kind: 'user', value: readUserRef(asked).userId },
      ]),
  }),
  defineRoute({
    ...at('revokeUserSessions', sessionsPath),
    method: 'DELETE',
    summary: 'End all sessions of a user',
    answers: { 204: { description: 'All earlier sessions have ended.' } },
    serve: (asked) => revokeAllUserSessions(asked.context, asked.call, readUserRef(asked)),
  }),
  defineRoute({
    ...at('revokeUserSession', `${sessionsPath}/{sessionID}`),
    method: 'DELETE',
    summary: 'End a session of a user; one that is over is no error',
    answers: { 204: { description: 'The session has ended.' } },
    serve: ({ context, ...asked }) => {
      const session = { user: readUserRef(asked), sessionId: asked.ids['sessionID'] ?? '' }
      return revokeUserSession(context, asked.call, session)
    },
  }),
  defineRoute({
    ...at('grantScope', `${userPath}/scopes`),
    method: 'POST',
    summary: "Grant a scope to a user's sessions for one use; their next access token has it",
    body: schemaBody(scopeInputSchema),
    answers: { 201: { description: 'The grant.', schema: scopeGrantSchema } },
    serve: ({ context, body: input, ...asked }) =>
      grantScope(context, asked.call, { user: readUserRef(asked), input }),
  }),
])
