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
  migrationConfigAnswerSchema,
  signingKeySchema,
} from '../../commands/sessions/views.ts'
import { Failure } from '../../domain/failure.ts'
import { openObject, pageSchema, text } from '../../domain/schema.ts'
import { appSettingsInputSchema } from '../../domain/sessions/appSettings.ts'
import {
  findApp,
  findMigrationConfig,
  listApps,
  listSigningKeys,
} from '../../queries/sessions/apps.ts'
import { removed, seen, seenPage, written } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { minPositionQuery, pageQuery } from '../request/queryReader.ts'
import type { Route, RouteDependencies } from '../request/route.ts'
import { applicationAccess } from '../request/userAccess.ts'
import { accountIn, accountRoutesAt, appIn, forBoth, hostRoute, type RouteAt } from './appAccess.ts'

type Context = RouteDependencies['context']

/** `/v2/session/apps` for the account itself, and the same for the operator. */
export function appRoutes(service: RouteDependencies): readonly Route[] {
  const { context } = service
  return forBoth((at) => [...listRoutes(context, at), ...itemRoutes(context, at)])
}

function listRoutes(context: Context, at: RouteAt): readonly Route[] {
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

function itemRoutes(context: Context, at: RouteAt): readonly Route[] {
  return [
    defineRoute({
      ...at('getApp', '/{appID}'),
      method: 'GET',
      summary: 'Retrieve an application',
      kind: 'read',
      query: minPositionQuery,
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

const answer = { description: 'The configuration.', schema: migrationConfigAnswerSchema }

/** `/v2/session/apps/{appID}/config/migration`; its errors are those of spec 7.3. */
export function migrationRoutes(service: RouteDependencies): readonly Route[] {
  const { context } = service
  const at = (operation: string) =>
    ({
      ...accountRoutesAt(operation, '/{appID}/config/migration'),
      errors: 'migration',
    }) as const
  return [
    defineRoute({
      ...at('getMigrationConfig'),
      method: 'GET',
      summary: 'Retrieve the migration configuration of an application',
      kind: 'read',
      query: minPositionQuery,
      answers: { 200: answer },
      failures: ['not_found'],
      serve: async (asked) => {
        const { value, position } = await findMigrationConfig(context, appIn(asked), asked.query)
        if (value) return seen({ value: { config: value }, position })
        throw new Failure('not_found', 'The application has no migration configuration.')
      },
    }),
    defineRoute({
      ...at('setMigrationConfig'),
      method: 'PUT',
      summary: 'Set the migration configuration of an application',
      kind: 'write',
      body: schemaBody(migrationConfigInputSchema),
      answers: { 200: answer },
      failures: ['conflict'],
      serve: async (asked) => {
        const change = { app: appIn(asked), ...asked.body }
        const { value: config, ...set } = await setMigrationConfig(context, asked.call, change)
        return written(200, { ...set, value: { config } })
      },
    }),
    defineRoute({
      ...at('deleteMigrationConfig'),
      method: 'DELETE',
      summary:
        'Delete the migration configuration of an application; one that is not set is no error',
      kind: 'write',
      answers: { 204: { description: 'The configuration is deleted.' } },
      failures: ['invalid_request', 'conflict'],
      serve: async (asked) =>
        removed(await deleteMigrationConfig(context, asked.call, appIn(asked))),
    }),
  ]
}

const signingKeysSchema = openObject('SigningKeys', {
  signing_keys: { type: 'array', items: signingKeySchema },
})

const keysPath = '/{appID}/signing-keys'

/** `/v2/session/apps/{appID}/signing-keys` for the account itself, and the same for the operator. */
export function signingKeyRoutes(service: RouteDependencies): readonly Route[] {
  const { context } = service
  return forBoth((at) => [
    defineRoute({
      ...at('listSigningKeys', keysPath),
      method: 'GET',
      summary:
        'List the signing keys of an application, newest last, including recently retired ones',
      kind: 'read',
      query: minPositionQuery,
      answers: { 200: { description: 'The public halves.', schema: signingKeysSchema } },
      failures: [],
      serve: async (asked) => {
        const { value, position } = await listSigningKeys(context, appIn(asked), asked.query)
        return seen({ value: { signing_keys: value }, position })
      },
    }),
    defineRoute({
      ...at('rotateSigningKey', keysPath),
      method: 'POST',
      summary: 'Rotate the signing key; earlier keys verify until they are retired',
      kind: 'write',
      answers: {
        201: { description: 'The key that signs now.', schema: signingKeySchema },
      },
      failures: ['invalid_request', 'conflict'],
      serve: async (asked) =>
        written(201, await rotateSigningKey(context, asked.call, appIn(asked))),
    }),
    defineRoute({
      ...at('retireSigningKey', `${keysPath}/{kid}`),
      method: 'DELETE',
      summary: 'Retire a signing key that no longer signs; idempotent',
      kind: 'write',
      answers: { 204: { description: 'The key no longer verifies.' } },
      failures: ['invalid_request', 'conflict'],
      serve: async (asked) => {
        const key = { app: appIn(asked), kid: asked.ids['kid'] ?? '' }
        return removed(await retireSigningKey(context, asked.call, key))
      },
    }),
  ])
}

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
export function keySetRoute(): Route {
  return defineRoute({
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
}
