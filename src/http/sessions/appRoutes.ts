/** Declares the routes for registering, listing, configuring and retiring applications. */

import { configureApp, retireApp } from '../../commands/sessions/apps/configureApp.ts'
import { appInputSchema, registerApp } from '../../commands/sessions/apps/registerApp.ts'
import { appSchema } from '../../commands/sessions/views.ts'
import { pageSchema } from '../../domain/schema.ts'
import { appSettingsInputSchema } from '../../domain/sessions/appSettings.ts'
import { findApp, listApps } from '../../queries/sessions/apps.ts'
import { removed, seen, seenPage, written } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { askingQuery, pageQuery } from '../request/queryReader.ts'
import type { Route, Served } from '../request/route.ts'
import { type AppBase, accountIn, appIn, forBoth } from './appBase.ts'

type Context = Served['context']

/** `/v2/session/apps` for the account itself, and the same for the operator. */
export function appRoutes(service: Served): readonly Route[] {
  const { context } = service
  return forBoth((base) => [...listRoutes(context, base), ...itemRoutes(context, base)])
}

function listRoutes(context: Context, { at }: AppBase): readonly Route[] {
  return [
    defineRoute({
      ...at('registerApp'),
      method: 'POST',
      summary: 'Register an application',
      kind: 'write',
      body: schemaBody(appInputSchema),
      answers: { 201: { description: 'The application.', schema: appSchema } },
      failures: ['conflict'],
      serve: async (asked) => {
        const app = { account: accountIn(asked), input: asked.body }
        return written(201, await registerApp(context, asked.call, app))
      },
    }),
    defineRoute({
      ...at('listApps'),
      method: 'GET',
      summary: 'List the applications in the order of registration, including retired ones',
      kind: 'read',
      query: pageQuery,
      answers: {
        200: {
          description: 'One page of applications.',
          schema: pageSchema('AppList', 'apps', appSchema),
        },
      },
      failures: ['rate_limited'],
      serve: async (asked) => {
        const apps = { account: accountIn(asked), ...asked.query }
        return seenPage('apps', await listApps(context, asked.call, apps))
      },
    }),
  ]
}

function itemRoutes(context: Context, { at }: AppBase): readonly Route[] {
  return [
    defineRoute({
      ...at('getApp', '/{appID}'),
      method: 'GET',
      summary: 'Retrieve an application',
      kind: 'read',
      query: askingQuery,
      answers: { 200: { description: 'The application.', schema: appSchema } },
      failures: [],
      serve: async (asked) => seen(await findApp(context, appIn(asked), asked.query)),
    }),
    defineRoute({
      ...at('configureApp', '/{appID}/settings'),
      method: 'PUT',
      summary: 'Change the settings of an application; omitted settings stay',
      kind: 'write',
      body: schemaBody(appSettingsInputSchema),
      answers: { 200: { description: 'The application.', schema: appSchema } },
      failures: ['conflict'],
      serve: async (asked) => {
        const change = { app: appIn(asked), settings: asked.body }
        return written(200, await configureApp(context, asked.call, change))
      },
    }),
    defineRoute({
      ...at('retireApp', '/{appID}'),
      method: 'DELETE',
      summary: 'Retire an application permanently; idempotent',
      kind: 'write',
      answers: { 204: { description: 'The application is retired; its id stays taken.' } },
      failures: ['invalid_request', 'conflict'],
      serve: async (asked) => removed(await retireApp(context, asked.call, appIn(asked))),
    }),
  ]
}
