/** Declares the routes for an application's signing keys and its public key set (RFC 7517). */

import { publicJwk } from '../../auth/signingKey.ts'
import { retireSigningKey, rotateSigningKey } from '../../commands/sessions/apps/signingKeys.ts'
import { signingKeySchema } from '../../commands/sessions/views.ts'
import { openObject, text } from '../../domain/schema.ts'
import { listSigningKeys } from '../../queries/sessions/apps.ts'
import { removed, seen, written } from '../request/answer.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { askingQuery } from '../request/queryReader.ts'
import type { Route, Served } from '../request/route.ts'
import { applicationAccess } from '../request/userAccess.ts'
import { type AppBase, appIn, forBoth } from './appBase.ts'

const signingKeysSchema = openObject('SigningKeys', {
  signing_keys: { type: 'array', items: signingKeySchema },
})

const path = '/{appID}/signing-keys'

/** `/v2/session/apps/{appID}/signing-keys` for the account itself, and the same for the operator. */
export function signingKeyRoutes(service: Served): readonly Route[] {
  return forBoth((base) => routesAt(service.context, base))
}

function routesAt(context: Served['context'], { at }: AppBase): readonly Route[] {
  return [
    defineRoute({
      ...at('listSigningKeys', path),
      method: 'GET',
      summary:
        'List the signing keys of an application, newest last, including recently retired ones',
      kind: 'read',
      query: askingQuery,
      answers: { 200: { description: 'The public halves.', schema: signingKeysSchema } },
      failures: [],
      serve: async (asked) => {
        const { value, position } = await listSigningKeys(context, appIn(asked), asked.query)
        return seen({ value: { signing_keys: value }, position })
      },
    }),
    defineRoute({
      ...at('rotateSigningKey', path),
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
      ...at('retireSigningKey', `${path}/{kid}`),
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
  ]
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
    host: 'session',
    method: 'GET',
    path: '/.well-known/jwks.json',
    operationId: 'getKeySet',
    summary: 'The keys by which access tokens of the application are verified, the newest last',
    tag: 'Sessions',
    kind: 'plain',
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
