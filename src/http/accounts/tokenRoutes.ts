/** Routes issuing and revoking API tokens (operator). */

import {
  type IssuedToken,
  issueToken,
  revokeToken,
  type TokenInput,
} from '../../commands/accounts/tokens.ts'
import { invalidRequest } from '../../domain/failure.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { scopes } from '../../domain/principal.ts'
import { isoTimeMs } from '../../engine/language/values/time.ts'
import { removed, written } from '../request/answer.ts'
import { noBody, schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import { operatorAccess, type Route, type Served } from '../request/route.ts'
import { inputSchema, optional, viewSchema } from '../request/schema/fields.ts'
import { limits, type Schema, timeText } from '../request/schema/schema.ts'

const tokenInputSchema: Schema = inputSchema<GivenToken>('TokenInput', {
  scopes: {
    type: 'array',
    minItems: 1,
    maxItems: scopes.length,
    uniqueItems: true,
    items: { type: 'string', enum: scopes },
  },
  name: optional({
    type: 'string',
    minLength: 1,
    maxLength: limits.name,
    description: 'What to call it: where it is used, or by whom.',
  }),
  expires_at: optional({
    type: 'string',
    maxLength: 40,
    description:
      'From when on it is refused, in ISO 8601 with a zone: ahead, by at most ten years. Without it the token does not expire.',
  }),
})

const tokenSchema: Schema = viewSchema<IssuedToken>('Token', {
  token_id: { type: 'string' },
  token: { type: 'string', description: 'Shown once; only a hash of it is kept.' },
  name: optional({ type: 'string' }),
  expires_at: optional(timeText),
})

/** `/v2/operator/accounts/{account_id}/tokens`, all for the operator token alone. */
export function tokenRoutes(served: Served): readonly Route[] {
  return [issueTokenRoute(served), revokeTokenRoute(served)]
}

const path = '/v2/operator/accounts/{account_id}/tokens'
const accountIds = { account_id: idPrefixes.account }

function common({ authenticate }: Served) {
  return {
    tag: 'Operator',
    kind: 'write',
    access: operatorAccess(authenticate),
    query: noQuery,
    failures: ['conflict'],
  } as const
}

function issueTokenRoute(served: Served): Route {
  return defineRoute({
    ...common(served),
    method: 'POST',
    path: path,
    operationId: 'issueToken',
    summary: 'Issue an API token',
    ids: accountIds,
    body: schemaBody<GivenToken>(tokenInputSchema),
    answers: { 201: { description: 'The token.', schema: tokenSchema } },
    serve: async ({ call, ids, body }) =>
      written(
        201,
        await issueToken(served.context, call, { account: ids.account_id, ...inputOf(body) }),
      ),
  })
}

function revokeTokenRoute(served: Served): Route {
  return defineRoute({
    ...common(served),
    method: 'DELETE',
    path: `${path}/{token_id}`,
    operationId: 'revokeToken',
    summary: 'Revoke an API token; one that is revoked already is no error',
    ids: { ...accountIds, token_id: idPrefixes.token },
    body: noBody,
    answers: { 204: { description: 'The token is refused from now on.' } },
    failures: ['invalid_request', 'conflict'],
    serve: async ({ call, ids }) =>
      removed(
        await revokeToken(served.context, call, { account: ids.account_id, tokenId: ids.token_id }),
      ),
  })
}

/** Throws `invalid_request` for an end that is no time. */
function inputOf({ expires_at, ...input }: GivenToken): TokenInput {
  if (expires_at === undefined) return input
  const expiresAtMs = isoTimeMs(expires_at)
  if (expiresAtMs !== undefined) return { ...input, expiresAtMs }
  throw invalidRequest([{ path: 'expires_at', message: 'Must be a time in ISO 8601 with a zone.' }])
}

/** A body as its schema lets it through. */
interface GivenToken extends Omit<TokenInput, 'expiresAtMs'> {
  readonly expires_at?: string
}
