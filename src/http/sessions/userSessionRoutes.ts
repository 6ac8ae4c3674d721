/** The sessions of a user: started, listed, ended, let do more. */

import { idPrefixes } from '../../domain/ids.ts'
import type { Principal } from '../../domain/principal.ts'
import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type { ScopeInput, SessionInput, SessionsPart } from '../../service/sessions/sessionsPart.ts'
import { removed, seen, written } from '../request/answer.ts'
import { noBody, schemaBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery, pageQuery } from '../request/queryReader.ts'
import type { PathParameter, Route } from '../request/route.ts'
import { type AppDoor, accountDoor, operatorDoor } from './appDoor.ts'
import {
  activeSessionsSchema,
  scopeInputSchema,
  scopeViewSchema,
  sessionInputSchema,
  startedSessionSchema,
} from './sessionSchemas.ts'
import { userPlace } from './userRoutes.ts'

type Sessions = AccountsPart & SessionsPart

/** `/v2/session/apps/{appID}/users/{userID}/sessions` and `…/scopes` for the account itself, and the same for the operator. */
export function userSessionRoutes(service: Sessions): readonly Route[] {
  return [...routesOf(service, accountDoor(service)), ...routesOf(service, operatorDoor(service))]
}

function routesOf<Caller extends Principal>(
  service: Sessions,
  door: AppDoor<Caller>,
): readonly Route[] {
  return [
    startRoute(service, door),
    listRoute(service, door),
    revokeAllRoute(service, door),
    revokeRoute(service, door),
    grantRoute(service, door),
  ]
}

function ofUser<Caller extends Principal>({ path, ids, tag, access }: AppDoor<Caller>) {
  const places: Readonly<Record<string, PathParameter>> = {
    ...ids,
    appID: 'app',
    userID: idPrefixes.user,
  }
  return { path: `${path}/{appID}/users/{userID}/sessions`, ids: places, tag, access }
}

function startRoute<Caller extends Principal>(
  { userSessions }: Sessions,
  door: AppDoor<Caller>,
): Route {
  return defineRoute({
    ...ofUser(door),
    method: 'POST',
    operationId: door.operation('startSession'),
    summary: 'Start a session of a user whom your back end has let in',
    kind: 'write',
    query: noQuery,
    body: schemaBody<SessionInput>(sessionInputSchema),
    answers: { 201: { description: 'The session and its tokens.', schema: startedSessionSchema } },
    failures: ['conflict'],
    serve: async (asked) =>
      written(201, await userSessions.start(asked.call, userPlace(door, asked), asked.body)),
  })
}

function listRoute<Caller extends Principal>(
  { userSessions }: Sessions,
  door: AppDoor<Caller>,
): Route {
  return defineRoute({
    ...ofUser(door),
    method: 'GET',
    operationId: door.operation('listUserSessions'),
    summary: 'List the active sessions of a user, the one seen last first',
    kind: 'read',
    query: pageQuery,
    body: noBody,
    answers: { 200: { description: 'One page of sessions.', schema: activeSessionsSchema } },
    failures: [],
    serve: async (asked) => {
      const { value, position } = await userSessions.list(userPlace(door, asked), asked.query)
      return seen({ value: { sessions: value.items, next_cursor: value.nextCursor }, position })
    },
  })
}

function revokeAllRoute<Caller extends Principal>(
  { userSessions }: Sessions,
  door: AppDoor<Caller>,
): Route {
  return defineRoute({
    ...ofUser(door),
    method: 'DELETE',
    operationId: door.operation('revokeUserSessions'),
    summary: 'End all sessions of a user',
    kind: 'write',
    query: noQuery,
    body: noBody,
    answers: { 204: { description: 'No session that was started before is active.' } },
    failures: ['invalid_request', 'conflict'],
    serve: async (asked) =>
      removed(await userSessions.revokeAll(asked.call, userPlace(door, asked))),
  })
}

function revokeRoute<Caller extends Principal>(
  { userSessions }: Sessions,
  door: AppDoor<Caller>,
): Route {
  const { path, ids, ...facts } = ofUser(door)
  return defineRoute({
    ...facts,
    method: 'DELETE',
    path: `${path}/{sessionID}`,
    ids: { ...ids, sessionID: idPrefixes.session },
    operationId: door.operation('revokeUserSession'),
    summary: 'End a session of a user; one that is over is no error',
    kind: 'write',
    query: noQuery,
    body: noBody,
    answers: { 204: { description: 'The session is over.' } },
    failures: ['invalid_request', 'conflict'],
    serve: async (asked) => {
      const sessionId = asked.ids['sessionID'] ?? ''
      return removed(await userSessions.revoke(asked.call, userPlace(door, asked), sessionId))
    },
  })
}

function grantRoute<Caller extends Principal>(
  { userSessions }: Sessions,
  door: AppDoor<Caller>,
): Route {
  const { path, ...facts } = ofUser(door)
  return defineRoute({
    ...facts,
    method: 'POST',
    path: path.replace(/sessions$/, 'scopes'),
    operationId: door.operation('grantScope'),
    summary: 'Let sessions of a user do something once; their next access token says so',
    kind: 'write',
    query: noQuery,
    body: schemaBody<ScopeInput>(scopeInputSchema),
    answers: { 201: { description: 'The grant.', schema: scopeViewSchema } },
    failures: ['conflict'],
    serve: async (asked) =>
      written(201, await userSessions.grant(asked.call, userPlace(door, asked), asked.body)),
  })
}
