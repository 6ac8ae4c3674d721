/** Routes the JSON Web Key Set of an application's public signing keys (RFC 7517). */

import { type PublicJwk, publicJwk } from '../../auth/signingKey.ts'
import type { Schema } from '../../domain/schema.ts'
import { defineRoute } from '../request/defineRoute.ts'
import type { Route } from '../request/route.ts'
import { viewSchema } from '../request/schema/fields.ts'
import { applicationAccess } from '../request/userAccess.ts'

/** How long the set may be cached: a verifier that meets a newer key asks again. */
const cachedSeconds = 300

const jwk: Schema = viewSchema<PublicJwk>('PublicJwk', {
  kty: { type: 'string', enum: ['OKP'] },
  crv: { type: 'string', enum: ['Ed25519'] },
  use: { type: 'string', enum: ['sig'] },
  alg: { type: 'string', enum: ['EdDSA'] },
  kid: { type: 'string' },
  x: { type: 'string' },
})
const keySet: Schema = viewSchema<{ readonly keys: readonly PublicJwk[] }>('KeySet', {
  keys: { type: 'array', items: jwk },
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
    answers: { 200: { description: 'A JSON Web Key Set.', schema: keySet } },
    failures: ['not_found'],
    serve: async ({ call }) => ({
      status: 200,
      body: { keys: call.principal.keys.map(({ kid, public_key: x }) => publicJwk(kid, x)) },
      cachedSeconds,
    }),
  })
}
