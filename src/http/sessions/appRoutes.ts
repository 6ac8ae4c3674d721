/** Declares the routes for applications, their settings, migration and signing keys. */

import { buildPublicJwk } from '../../auth/signingKey.ts'
import {
  configureApp,
  deleteMigrationConfig,
  migrationConfigInputSchema,
  retireApp,
  setMigrationConfig,
} from '../../commands/sessions/apps/configureApp.ts'
import { appInputSchema, registerApp } from '../../commands/sessions/apps/registerApp.ts'
import { retireSigningKey, rotateSigningKey } from '../../commands/sessions/apps/signingKeys.ts'
import { Failure } from '../../domain/failure.ts'
import { openObject, pageSchema, text } from '../../domain/jsonSchema.ts'
import { appSettingsInputSchema } from '../../domain/sessions/appSettings.ts'
import { listApps, requireAppView } from '../../queries/sessions/apps.ts'
import {
  appSchema,
  buildAppView,
  buildMigrationConfigView,
  buildSigningKeyViews,
  migrationConfigAnswerSchema,
  signingKeySchema,
} from '../../state/sessions/views.ts'
import { pageAnswer, valueAnswer } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { minPositionQuery, pageQuery } from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import {
  accountAndOperatorRoutes,
  accountRoutesAt,
  readAccountId,
  readAppRef,
} from './appAccess.ts'
import { applicationAccess, hostRouteDefaults } from './hostAccess.ts'

const app = { description: 'The application.', schema: appSchema }
const apps = pageSchema('AppList', 'apps', appSchema)

/** `/v2/session/apps` for the account itself, and the same for the operator. */
export const appRoutes: readonly Route[] = accountAndOperatorRoutes((at) => [
  defineRoute({
    ...at('registerApp'),
    method: 'POST',
    summary: 'Register an application',
    body: schemaBody(appInputSchema),
    answers: { 201: app },
    serve: ({ context, body: input, ...asked }) =>
      registerApp(context, asked.call, { account: readAccountId(asked), input }),
  }),
  defineRoute({
    ...at('listApps'),
    method: 'GET',
    summary: 'List the applications in the order of registration, including retired ones',
    query: pageQuery,
    answers: { 200: { description: 'One page of applications.', schema: apps } },
    failures: ['rate_limited'],
    serve: ({ context, query, ...asked }) => {
      const account = readAccountId(asked)
      return pageAnswer('apps', listApps(context, asked.call, { account, ...query }))
    },
  }),
  defineRoute({
    ...at('getApp', '/{appID}'),
    method: 'GET',
    summary: 'Retrieve an application',
    query: minPositionQuery,
    answers: { 200: app },
    serve: ({ context, query, ...asked }) => {
      const app = readAppRef(asked)
      return valueAnswer(
        requireAppView(context, { ...app, ...query }, (one) => buildAppView(app.appId, one)),
      )
    },
  }),
  defineRoute({
    ...at('configureApp', '/{appID}/settings'),
    method: 'PUT',
    summary: 'Change the settings of an application; omitted settings stay',
    body: schemaBody(appSettingsInputSchema),
    answers: { 200: app },
    serve: ({ context, body: settings, ...asked }) =>
      configureApp(context, asked.call, { app: readAppRef(asked), settings }),
  }),
  defineRoute({
    ...at('retireApp', '/{appID}'),
    method: 'DELETE',
    summary: 'Retire an application permanently; idempotent',
    answers: { 204: { description: 'The application is retired; its id stays taken.' } },
    serve: (asked) => retireApp(asked.context, asked.call, readAppRef(asked)),
  }),
])

const migrationAt = (operation: string) =>
  ({
    ...accountRoutesAt(operation, '/{appID}/config/migration'),
    errors: 'migration',
  }) as const
const migrationConfig = { description: 'The configuration.', schema: migrationConfigAnswerSchema }

/** `/v2/session/apps/{appID}/config/migration`; its errors are those of spec 7.3. */
export const migrationConfigRoutes: readonly Route[] = [
  defineRoute({
    ...migrationAt('getMigrationConfig'),
    method: 'GET',
    summary: 'Retrieve the migration configuration of an application',
    query: minPositionQuery,
    answers: { 200: migrationConfig },
    failures: ['not_found'],
    serve: ({ context, query, ...asked }) =>
      valueAnswer(
        requireAppView(context, { ...readAppRef(asked), ...query }, ({ migration }) => {
          if (migration) return buildMigrationConfigView(migration)
          throw new Failure('not_found', 'The application has no migration configuration.')
        }),
      ),
  }),
  defineRoute({
    ...migrationAt('setMigrationConfig'),
    method: 'PUT',
    summary: 'Set the migration configuration of an application',
    body: schemaBody(migrationConfigInputSchema),
    answers: { 200: migrationConfig },
    serve: ({ context, body, ...asked }) =>
      setMigrationConfig(context, asked.call, { app: readAppRef(asked), ...body }),
  }),
  defineRoute({
    ...migrationAt('deleteMigrationConfig'),
    method: 'DELETE',
    summary:
      'Delete the migration configuration of an application; one that is not set is no error',
    answers: { 204: { description: 'The configuration is deleted.' } },
    serve: (asked) => deleteMigrationConfig(asked.context, asked.call, readAppRef(asked)),
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
    method: 'GET',
    summary:
      'List the signing keys of an application, newest last, including recently retired ones',
    query: minPositionQuery,
    answers: { 200: { description: 'The public halves.', schema: signingKeysSchema } },
    serve: ({ context, query, ...asked }) =>
      valueAnswer(
        requireAppView(context, { ...readAppRef(asked), ...query }, (app) => ({
          signing_keys: buildSigningKeyViews(app),
        })),
      ),
  }),
  defineRoute({
    ...at('rotateSigningKey', keysPath),
    method: 'POST',
    summary: 'Rotate the signing key; earlier keys verify until they are retired',
    answers: { 201: { description: 'The key that signs now.', schema: signingKeySchema } },
    serve: (asked) => rotateSigningKey(asked.context, asked.call, readAppRef(asked)),
  }),
  defineRoute({
    ...at('retireSigningKey', `${keysPath}/{kid}`),
    method: 'DELETE',
    summary: 'Retire a signing key that no longer signs; idempotent',
    answers: { 204: { description: 'The key no longer verifies.' } },
    serve: ({ context, ...asked }) => {
      const key = { app: readAppRef(asked), kid: asked.ids['kid'] ?? '' }
      return retireSigningKey(context, asked.call, key)
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
  ...hostRouteDefaults,
  method: 'GET',
  path: '/.well-known/jwks.json',
  operationId: 'getKeySet',
  summary: 'The keys by which access tokens of the application are verified, the newest last',
  access: applicationAccess,
  answers: { 200: { description: 'A JSON Web Key Set.', schema: keySetSchema } },
  failures: ['not_found'],
  serve: async ({ call }) => ({
    value: { keys: call.principal.keys.map(({ kid, public_key: x }) => buildPublicJwk(kid, x)) },
    cachedSeconds,
  }),
})
