/** Routes creating, listing, finding and deleting the users of an application. */

import type { UserRef } from '../../commands/sessions/sessionsContext.ts'
import { createUser, type UserInput } from '../../commands/sessions/users/createUser.ts'
import { deleteUser } from '../../commands/sessions/users/deleteUser.ts'
import type { UserView } from '../../commands/sessions/views.ts'
import { idPrefixes } from '../../domain/ids.ts'
import type { Principal } from '../../domain/principal.ts'
import { pageSchema, type Schema, timeText } from '../../domain/schema.ts'
import {
  type Identifier,
  identifierLengthMax,
  identifiersMax,
  identifierTypePattern,
} from '../../domain/sessions/identifiers.ts'
import { findUser, listUsers, type UsersAsked } from '../../queries/sessions/users.ts'
import { removed, seen, written } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { askingQuery, pageQuery, type QueryReader } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { inputSchema, viewSchema } from '../request/schema/fields.ts'
import { type AppBase, accountBase, appRef, operatorBase, type SessionsService } from './appBase.ts'

const identifierType: Schema = {
  type: 'string',
  pattern: identifierTypePattern,
  description:
    '`phone_number`, `email_address`, or a name of your own, such as `customer_user_id`: lower-case letters, digits and `_`.',
}

const identifierValue: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: identifierLengthMax,
  description: 'A number in E.164 form, an address, or visible characters of any kind.',
}

const userInputSchema: Schema = inputSchema<UserInput>('UserInput', {
  identifiers: {
    type: 'array',
    minItems: 1,
    maxItems: identifiersMax,
    items: inputSchema<Identifier>('IdentifierInput', {
      type: identifierType,
      value: identifierValue,
    }),
    description:
      'What the user is known by: no other user of the application may have any of them.',
  },
})

const userViewSchema: Schema = viewSchema<UserView>('User', {
  id: { type: 'string' },
  identifiers: {
    type: 'array',
    items: viewSchema<Identifier>('Identifier', {
      type: { type: 'string' },
      value: { type: 'string', description: 'In canonical form.' },
    }),
    description: 'None of a person who was erased.',
  },
  created_at: timeText,
})

const userListSchema: Schema = pageSchema('UserList', 'users', userViewSchema)

/** `/v2/session/apps/{appID}/users` for the account itself, and the same for the operator. */
export function userRoutes(service: SessionsService): readonly Route[] {
  return [...routesOf(service, accountBase(service)), ...routesOf(service, operatorBase(service))]
}

function routesOf<Caller extends Principal>(
  service: SessionsService,
  base: AppBase<Caller>,
): readonly Route[] {
  return [
    createRoute(service, base),
    listRoute(service, base),
    getRoute(service, base),
    deleteRoute(service, base),
  ]
}

/** The user named by the path. */
export function userRef<Caller extends Principal>(
  base: Pick<AppBase<Caller>, 'account'>,
  asked: Parameters<AppBase<Caller>['account']>[0],
): UserRef {
  return { ...appRef(base, asked), userId: asked.ids['userID'] ?? '' }
}

function createRoute<Caller extends Principal>(
  { sessionsContext: context }: SessionsService,
  base: AppBase<Caller>,
): Route {
  const { path, tag, access, ids, operation } = base
  return defineRoute({
    method: 'POST',
    path: `${path}/{appID}/users`,
    operationId: operation('createUser'),
    summary: 'Create a user of an application',
    tag,
    kind: 'write',
    access,
    ids: { ...ids, appID: 'app' },
    body: schemaBody<UserInput>(userInputSchema),
    answers: { 201: { description: 'The user.', schema: userViewSchema } },
    failures: ['identifier_already_exists', 'conflict'],
    serve: async (asked) => {
      const user = { app: appRef(base, asked), ...asked.body }
      return written(201, await createUser(context, asked.call, user))
    },
  })
}

function listRoute<Caller extends Principal>(
  { sessionsContext: context }: SessionsService,
  base: AppBase<Caller>,
): Route {
  const { path, tag, access, ids, operation } = base
  return defineRoute({
    method: 'GET',
    path: `${path}/{appID}/users`,
    operationId: operation('listUsers'),
    summary: 'List the users of an application, or find the one with an identifier',
    tag,
    kind: 'read',
    access,
    ids: { ...ids, appID: 'app' },
    query: usersQuery,
    answers: { 200: { description: 'One page of users.', schema: userListSchema } },
    failures: ['rate_limited'],
    serve: async (asked) => {
      const users = { app: appRef(base, asked), asked: asked.query }
      const found = await listUsers(context, asked.call, users)
      const { items, nextCursor } = found.value
      return seen({ ...found, value: { users: items, next_cursor: nextCursor } })
    },
  })
}

const usersQuery: QueryReader<UsersAsked> = {
  parameters: [
    { name: 'type', description: 'With `value`: of which type it is.', schema: identifierType },
    { name: 'value', description: 'Only the user with this identifier.', schema: identifierValue },
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

function getRoute<Caller extends Principal>(
  { sessionsContext: context }: SessionsService,
  base: AppBase<Caller>,
): Route {
  const { path, tag, access, ids, operation } = base
  return defineRoute({
    method: 'GET',
    path: `${path}/{appID}/users/{userID}`,
    operationId: operation('getUser'),
    summary: 'Retrieve a user of an application',
    tag,
    kind: 'read',
    access,
    ids: { ...ids, appID: 'app', userID: idPrefixes.user },
    query: askingQuery,
    answers: { 200: { description: 'The user.', schema: userViewSchema } },
    failures: [],
    serve: async (asked) => seen(await findUser(context, userRef(base, asked), asked.query)),
  })
}

function deleteRoute<Caller extends Principal>(
  { sessionsContext: context }: SessionsService,
  base: AppBase<Caller>,
): Route {
  const { path, tag, access, ids, operation } = base
  return defineRoute({
    method: 'DELETE',
    path: `${path}/{appID}/users/{userID}`,
    operationId: operation('deleteUser'),
    summary:
      'Delete a user for good: all sessions end, and the password, identifiers and devices are erased; evaluations, feedback and lists are not, see POST /v2/watch/subjects/erase',
    tag,
    kind: 'write',
    access,
    ids: { ...ids, appID: 'app', userID: idPrefixes.user },
    answers: { 204: { description: 'The user is gone; again is no error.' } },
    failures: ['invalid_request', 'conflict'],
    serve: async (asked) => removed(await deleteUser(context, asked.call, userRef(base, asked))),
  })
}
