/** Routes starting, listing and ending a user's sessions, and granting scopes. */

import { grantScope, type ScopeInput } from '../../commands/sessions/grantScope.ts'
import { revokeUserSession, revokeUserSessions } from '../../commands/sessions/revokeSessions.ts'
import { type SessionInput, startSession } from '../../commands/sessions/startSession.ts'
import { idPrefixes } from '../../domain/ids.ts'
import type { Principal } from '../../domain/principal.ts'
import { listUserSessions } from '../../queries/sessions/sessions.ts'
import { removed, seenPage, written } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { pageQuery } from '../request/queryReader.ts'
import type { PathParameter, Route } from '../request/route.ts'
import { type AppBase, accountBase, operatorBase, type SessionsService } from './appBase.ts'
import {
  activeSessionsSchema,
  scopeInputSchema,
  scopeViewSchema,
  sessionInputSchema,
  startedSessionSchema,
} from './sessionSchemas.ts'
import { userRef } from './userRoutes.ts'

/** `/v2/session/apps/{appID}/users/{userID}/sessions` and `…/scopes` for the account itself, and the same for the operator. */
export function userSessionRoutes(service: SessionsService): readonly Route[] {
  return [...routesOf(service, accountBase(service)), ...routesOf(service, operatorBase(service))]
}

function routesOf<Caller extends Principal>(
  service: SessionsService,
  base: AppBase<Caller>,
): readonly Route[] {
  return [
    startRoute(service, base),
    listRoute(service, base),
    revokeAllRoute(service, base),
    revokeRoute(service, base),
    grantRoute(service, base),
  ]
}

function ofUser<Caller extends Principal>({ path, ids, tag, access }: AppBase<Caller>) {
  const parameters: Readonly<Record<string, PathParameter>> = {
    ...ids,
    appID: 'app',
    userID: idPrefixes.user,
  }
  return { path: `${path}/{appID}/users/{userID}/sessions`, ids: parameters, tag, access }
}

function startRoute<Caller extends Principal>(
  { sessionsContext: context }: SessionsService,
  base: AppBase<Caller>,
): Route {
  return defineRoute({
    ...ofUser(base),
    method: 'POST',
    operationId: base.operation('startSession'),
    summary: 'Start a session of a user whom your back end has let in',
    kind: 'write',
    body: schemaBody<SessionInput>(sessionInputSchema),
    answers: { 201: { description: 'The session and its tokens.', schema: startedSessionSchema } },
    failures: ['conflict'],
    serve: async (asked) => {
      const session = { user: userRef(base, asked), input: asked.body }
      return written(201, await startSession(context, asked.call, session))
    },
  })
}

function listRoute<Caller extends Principal>(
  { sessionsContext: context }: SessionsService,
  base: AppBase<Caller>,
): Route {
  return defineRoute({
    ...ofUser(base),
    method: 'GET',
    operationId: base.operation('listUserSessions'),
    summary: 'List the active sessions of a user, the one seen last first',
    kind: 'read',
    query: pageQuery,
    answers: { 200: { description: 'One page of sessions.', schema: activeSessionsSchema } },
    failures: [],
    serve: async (asked) =>
      seenPage('sessions', await listUserSessions(context, userRef(base, asked), asked.query)),
  })
}

function revokeAllRoute<Caller extends Principal>(
  { sessionsContext: context }: SessionsService,
  base: AppBase<Caller>,
): Route {
  return defineRoute({
    ...ofUser(base),
    method: 'DELETE',
    operationId: base.operation('revokeUserSessions'),
    summary: 'End all sessions of a user',
    kind: 'write',
    answers: { 204: { description: 'No session that was started before is active.' } },
    failures: ['invalid_request', 'conflict'],
    serve: async (asked) =>
      removed(await revokeUserSessions(context, asked.call, userRef(base, asked))),
  })
}

function revokeRoute<Caller extends Principal>(
  { sessionsContext: context }: SessionsService,
  base: AppBase<Caller>,
): Route {
  const { path, ids, ...facts } = ofUser(base)
  return defineRoute({
    ...facts,
    method: 'DELETE',
    path: `${path}/{sessionID}`,
    ids: { ...ids, sessionID: idPrefixes.session },
    operationId: base.operation('revokeUserSession'),
    summary: 'End a session of a user; one that is over is no error',
    kind: 'write',
    answers: { 204: { description: 'The session is over.' } },
    failures: ['invalid_request', 'conflict'],
    serve: async (asked) => {
      const session = { user: userRef(base, asked), sessionId: asked.ids['sessionID'] ?? '' }
      return removed(await revokeUserSession(context, asked.call, session))
    },
  })
}

function grantRoute<Caller extends Principal>(
  { sessionsContext: context }: SessionsService,
  base: AppBase<Caller>,
): Route {
  const { path, ...facts } = ofUser(base)
  return defineRoute({
    ...facts,
    method: 'POST',
    path: path.replace(/sessions$/, 'scopes'),
    operationId: base.operation('grantScope'),
    summary: 'Let sessions of a user do something once; their next access token says so',
    kind: 'write',
    body: schemaBody<ScopeInput>(scopeInputSchema),
    answers: { 201: { description: 'The grant.', schema: scopeViewSchema } },
    failures: ['conflict'],
    serve: async (asked) => {
      const scope = { user: userRef(base, asked), input: asked.body }
      return written(201, await grantScope(context, asked.call, scope))
    },
  })
}
