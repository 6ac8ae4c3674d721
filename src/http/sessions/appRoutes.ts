/** Declares the routes for applications, their settings, migration and signing keys. */

import { publicJwk } from '../../auth/signingKey.ts'
import {
  configureApp,
  deleteMigrationConfig,
  migrationConfigInputSchema,
  retireApp,
  setMigrationConfig,
} from '../../commands/sessions/apps/configureApp.ts'
import { appInputSchema, registerApp } from '../../commands/sessions/apps/registerApp.ts'
import { retireSigningKey, rotateSigningKey } from '../../commands/sessions/apps/signingKeys.ts'
import {
  appSchema,
  appView,
  migrationConfigAnswerSchema,
  migrationConfigView,
  signingKeySchema,
  signingKeyViews,
} from '../../commands/sessions/views.ts'
import { Failure } from '../../domain/failure.ts'
import { openObject, pageSchema, text } from '../../domain/schema.ts'
import { appSettingsInputSchema } from '../../domain/sessions/appSettings.ts'
import { findApp, listApps } from '../../queries/sessions/apps.ts'
import { commandAnswer, noContentAnswer, pageAnswer, queryAnswer } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { minPositionQuery, pageQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import {
  accountAndOperatorRoutes,
  accountIn,
  accountRoutesAt,
  appIn,
  createRoute,
  deleteRoute,
  readRoute,
  updateRoute,
} from './appAccess.ts'
import { applicationAccess, hostRoute } from './hostAccess.ts'

const app = { description: 'The application.', schema: appSchema }
const apps = pageSchema('AppList', 'apps', appSchema)

/** `/v2/session/apps` for the account itself, and the same for the operator. */
export const appRoutes: readonly Route[] = accountAndOperatorRoutes((at) => [
  defineRoute({
    ...at('registerApp'),
    ...createRoute,
    summary: 'Register an application',
    body: schemaBody(appInputSchema),
    answers: { 201: app },
    serve: async ({ context, body: input, ...asked }) =>
      commandAnswer(
        201,
        await registerApp(context, asked.call, { account: accountIn(asked), input }),
      ),
  }),
  defineRoute({
    ...at('listApps'),
    ...readRoute,
    summary: 'List the applications in the order of registration, including retired ones',
    query: pageQuery,
    answers: { 200: { description: 'One page of applications.', schema: apps } },
    failures: ['rate_limited'],
    serve: async ({ context, query, ...asked }) =>
      pageAnswer(
        'apps',
        await listApps(context, asked.call, { account: accountIn(asked), ...query }),
      ),
  }),
  defineRoute({
    ...at('getApp', '/{appID}'),
    ...readRoute,
    summary: 'Retrieve an application',
    query: minPositionQuery,
    answers: { 200: app },
    serve: async ({ context, query, ...asked }) => {
      const app = appIn(asked)
      return queryAnswer(
        await findApp(context, { ...app, ...query }, (one) => appView(app.appId, one)),
      )
    },
  }),
  defineRoute({
    ...at('configureApp', '/{appID}/settings'),
    ...updateRoute,
    summary: 'Change the settings of an application; omitted settings stay',
    body: schemaBody(appSettingsInputSchema),
    answers: { 200: app },
    serve: async ({ context, body: settings, ...asked }) =>
      commandAnswer(200, await configureApp(context, asked.call, { app: appIn(asked), settings })),
  }),
  defineRoute({
    ...at('retireApp', '/{appID}'),
    ...deleteRoute,
    summary: 'Retire an application permanently; idempotent',
    answers: { 204: { description: 'The application is retired; its id stays taken.' } },
    serve: async (asked) =>
      noContentAnswer(await retireApp(asked.context, asked.call, appIn(asked))),
  }),
])

const migrationAt = (operation: string) =>
  ({
    ...accountRoutesAt(operation, '/{appID}/config/migration'),
    errors: 'migration',
  }) as const
const migrationConfig = {
  description: 'The configuration.',
  schema: migrationConfigAnswerSchema,
}

/** `/v2/session/apps/{appID}/config/migration`; its errors are those of spec 7.3. */
export const migrationRoutes: readonly Route[] = [
  defineRoute({
    ...migrationAt('getMigrationConfig'),
    ...readRoute,
    summary: 'Retrieve the migration configuration of an application',
    query: minPositionQuery,
    answers: { 200: migrationConfig },
    failures: ['not_found'],
    serve: async ({ context, query, ...asked }) => {
      const found = await findApp(context, { ...appIn(asked), ...query }, ({ migration }) => {
        if (migration) return migrationConfigView(migration)
        throw new Failure('not_found', 'The application has no migration configuration.')
      })
      return queryAnswer(found)
    },
  }),
  defineRoute({
    ...migrationAt('setMigrationConfig'),
    ...updateRoute,
    summary: 'Set the migration configuration of an application',
    body: schemaBody(migrationConfigInputSchema),
    answers: { 200: migrationConfig },
    serve: async ({ context, body, ...asked }) => {
      const change = { app: appIn(asked), ...body }
      return commandAnswer(200, await setMigrationConfig(context, asked.call, change))
    },
  }),
  defineRoute({
    ...migrationAt('deleteMigrationConfig'),
    ...deleteRoute,
    summary:
      'Delete the migration configuration of an application; one that is not set is no error',
    answers: { 204: { description: 'The configuration is deleted.' } },
    serve: async (asked) =>
      noContentAnswer(await deleteMigrationConfig(asked.context, asked.call, appIn(asked))),
  }),
]

const signingKeysSchema = openObject('SigningKeys', {
  signing_keys: { type: 'array', items: signingKeySchema },
})

const keysPath = '/{appID}/signing-keys'

/** `/v2/session/apps/{appID}/signing-keys` for the account itself, and the same for the operator. */
export const signingKeyRoutes: readonly Route[] = accountAndOperatorRoutes((at) => [
  defineRoute({
    ...at('listSigningKeys', keysPath),
    ...readRoute,
    summary:
      'List the signing keys of an application, newest last, including recently retired ones',
    query: minPositionQuery,
    answers: { 200: { description: 'The public halves.', schema: signingKeysSchema } },
    serve: async ({ context, query, ...asked }) => {
      const found = await findApp(context, { ...appIn(asked), ...query }, (one) => ({
        signing_keys: signingKeyViews(one),
      }))
      return queryAnswer(found)
    },
  }),
  defineRoute({
    ...at('rotateSigningKey', keysPath),
    ...createRoute,
    summary: 'Rotate the signing key; earlier keys verify until they are retired',
    answers: { 201: { description: 'The key that signs now.', schema: signingKeySchema } },
    failures: ['invalid_request', 'conflict'],
    serve: async (asked) =>
      commandAnswer(201, await rotateSigningKey(asked.context, asked.call, appIn(asked))),
  }),
  defineRoute({
    ...at('retireSigningKey', `${keysPath}/{kid}`),
    ...deleteRoute,
    summary: 'Retire a signing key that no longer signs; idempotent',
    answers: { 204: { description: 'The key no longer verifies.' } },
    serve: async ({ context, ...asked }) => {
      const key = { app: appIn(asked), kid: asked.ids['kid'] ?? '' }
      return noContentAnswer(await retireSigningKey(context, asked.call, key))
    },
  }),
])

/** How long the set may be cached: a verifier that meets a newer key asks again. */
const cachedSeconds = 300

const keySetSchema = openObject('KeySet', {
  keys: {
    type: 'array',
    items: openObject('PublicJwk', {
      kty: { type: 'string', enum: ['OKP'] },
      crv: { type: 'string', enum: ['Ed25519'] },
      use: { type: 'string', enum: ['sig'] },
      alg: { type: 'string', enum: ['EdDSA'] },
      kid: text,
      x: text,
    }),
  },
})

/** `GET /.well-known/jwks.json` of the host of an application. */
export const keySetRoute: Route = defineRoute({
  ...hostRoute,
  method: 'GET',
  path: '/.well-known/jwks.json',
  operationId: 'getKeySet',
  summary: 'The keys by which access tokens of the application are verified, the newest last',
  access: applicationAccess,
  answers: { 200: { description: 'A JSON Web Key Set.', schema: keySetSchema } },
  failures: ['not_found'],
  serve: async ({ call }) => ({
    status: 200,
    body: { keys: call.principal.keys.map(({ kid, public_key: x }) => publicJwk(kid, x)) },
    cachedSeconds,
  }),
})
