/** API tokens, which the operator issues and revokes. */

import { invalidRequest } from '../../domain/failure.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { isoTimeMs } from '../../engine/language/values/isoTime.ts'
import type { AccountsPart, TokenInput } from '../../service/accounts/accountsPart.ts'
import { operatorAccess } from '../request/access.ts'
import { removed, written } from '../request/answer.ts'
import { noBody, schemaBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { type GivenToken, tokenInputSchema, tokenSchema } from './tokenSchemas.ts'

/** `/v2/operator/accounts/{account_id}/tokens`, all for the operator token alone. */
export function tokenRoutes(service: AccountsPart): readonly Route[] {
  return [issueTokenRoute(service), revokeTokenRoute(service)]
}

const path = '/v2/operator/accounts/{account_id}/tokens'
const accountIds = { account_id: idPrefixes.account }

function common({ authenticate }: AccountsPart) {
  return {
    tag: 'Operator',
    kind: 'write',
    access: operatorAccess(authenticate),
    query: noQuery,
    failures: ['conflict'],
  } as const
}

function issueTokenRoute(service: AccountsPart): Route {
  return defineRoute({
    ...common(service),
    method: 'POST',
    path: path,
    operationId: 'issueToken',
    summary: 'Issue an API token',
    ids: accountIds,
    body: schemaBody<GivenToken>(tokenInputSchema),
    answers: { 201: { description: 'The token.', schema: tokenSchema } },
    serve: async ({ call, ids, body }) =>
      written(201, await service.accounts.issueToken(call, ids.account_id, inputOf(body))),
  })
}

function revokeTokenRoute(service: AccountsPart): Route {
  return defineRoute({
    ...common(service),
    method: 'DELETE',
    path: `${path}/{token_id}`,
    operationId: 'revokeToken',
    summary: 'Revoke an API token; one that is revoked already is no error',
    ids: { ...accountIds, token_id: idPrefixes.token },
    body: noBody,
    answers: { 204: { description: 'The token is refused from now on.' } },
    failures: ['invalid_request', 'conflict'],
    serve: async ({ call, ids }) =>
      removed(await service.accounts.revokeToken(call, ids.account_id, ids.token_id)),
  })
}

/** Throws `invalid_request` for an end that is no time. */
function inputOf({ expires_at, ...input }: GivenToken): TokenInput {
  if (expires_at === undefined) return input
  const expiresAtMs = isoTimeMs(expires_at)
  if (expiresAtMs !== undefined) return { ...input, expiresAtMs }
  throw invalidRequest([{ path: 'expires_at', message: 'Must be a time in ISO 8601 with a zone.' }])
}
