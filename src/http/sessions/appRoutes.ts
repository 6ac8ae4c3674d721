/** The applications of an account: registered, seen, set, retired. */

import type { AppSettingsInput } from '../../domain/appSettings.ts'
import type { Principal } from '../../domain/principal.ts'
import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type { AppInput, SessionsPart } from '../../service/sessions/sessionsPart.ts'
import { removed, seen, written } from '../request/answer.ts'
import { noBody, schemaBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { askingQuery, noQuery, pageQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { type AppDoor, accountDoor, appPlace, operatorDoor } from './appDoor.ts'
import {
  appInputSchema,
  appListSchema,
  appSettingsInputSchema,
  appViewSchema,
} from './appSchemas.ts'

type Sessions = AccountsPart & SessionsPart

/** `/v2/session/apps` for the account itself, and the same for the operator. */
export function appRoutes(service: Sessions): readonly Route[] {
  return [...routesOf(service, accountDoor(service)), ...routesOf(service, operatorDoor(service))]
}

function routesOf<Caller extends Principal>(
  service: Sessions,
  door: AppDoor<Caller>,
): readonly Route[] {
  return [
    registerRoute(service, door),
    listRoute(service, door),
    getRoute(service, door),
    configureRoute(service, door),
    retireRoute(service, door),
  ]
}

function registerRoute<Caller extends Principal>({ apps }: Sessions, door: AppDoor<Caller>): Route {
  const { path, tag, access, ids, account, operation } = door
  return defineRoute({
    method: 'POST',
    path,
    operationId: operation('registerApp'),
    summary: 'Register an application',
    tag,
    kind: 'write',
    access,
    ids,
    query: noQuery,
    body: schemaBody<AppInput>(appInputSchema),
    answers: { 201: { description: 'The application.', schema: appViewSchema } },
    failures: ['conflict'],
    serve: async (asked) =>
      written(201, await apps.register(asked.call, account(asked), asked.body)),
  })
}

function listRoute<Caller extends Principal>({ apps }: Sessions, door: AppDoor<Caller>): Route {
  const { path, tag, access, ids, account, operation } = door
  return defineRoute({
    method: 'GET',
    path,
    operationId: operation('listApps'),
    summary: 'List the applications in the order they were registered, retired ones among them',
    tag,
    kind: 'read',
    access,
    ids,
    query: pageQuery,
    body: noBody,
    answers: { 200: { description: 'One page of applications.', schema: appListSchema } },
    failures: ['rate_limited'],
    serve: async (asked) => {
      const { value, position } = await apps.list(asked.call, account(asked), asked.query)
      return seen({ value: { apps: value.items, next_cursor: value.nextCursor }, position })
    },
  })
}

function getRoute<Caller extends Principal>({ apps }: Sessions, door: AppDoor<Caller>): Route {
  const { path, tag, access, ids, operation } = door
  return defineRoute({
    method: 'GET',
    path: `${path}/{appID}`,
    operationId: operation('getApp'),
    summary: 'Retrieve an application',
    tag,
    kind: 'read',
    access,
    ids: { ...ids, appID: 'app' },
    query: askingQuery,
    body: noBody,
    answers: { 200: { description: 'The application.', schema: appViewSchema } },
    failures: [],
    serve: async (asked) => seen(await apps.get(appPlace(door, asked), asked.query)),
  })
}

function configureRoute<Caller extends Principal>(
  { apps }: Sessions,
  door: AppDoor<Caller>,
): Route {
  const { path, tag, access, ids, operation } = door
  return defineRoute({
    method: 'PUT',
    path: `${path}/{appID}/settings`,
    operationId: operation('configureApp'),
    summary: 'Set an application; what is left out stays as it is',
    tag,
    kind: 'write',
    access,
    ids: { ...ids, appID: 'app' },
    query: noQuery,
    body: schemaBody<AppSettingsInput>(appSettingsInputSchema),
    answers: { 200: { description: 'The application.', schema: appViewSchema } },
    failures: ['conflict'],
    serve: async (asked) =>
      written(200, await apps.configure(asked.call, appPlace(door, asked), asked.body)),
  })
}

function retireRoute<Caller extends Principal>({ apps }: Sessions, door: AppDoor<Caller>): Route {
  const { path, tag, access, ids, operation } = door
  return defineRoute({
    method: 'DELETE',
    path: `${path}/{appID}`,
    operationId: operation('retireApp'),
    summary: 'Retire an application for good; one that is retired already is no error',
    tag,
    kind: 'write',
    access,
    ids: { ...ids, appID: 'app' },
    query: noQuery,
    body: noBody,
    answers: { 204: { description: 'The application is out of service; its id stays taken.' } },
    failures: ['invalid_request', 'conflict'],
    serve: async (asked) => removed(await apps.retire(asked.call, appPlace(door, asked))),
  })
}
