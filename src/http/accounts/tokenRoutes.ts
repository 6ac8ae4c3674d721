/** Declares the routes for issuing and revoking API tokens (operator). */

import {
  issuedTokenSchema,
  issueToken,
  revokeToken,
  tokenInputSchema,
} from '../../commands/accounts/tokens.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { removed, written } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { operatorAccess, type Route, type Served } from '../request/route.ts'

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
    body: schemaBody(tokenInputSchema),
    answers: { 201: { description: 'The token.', schema: issuedTokenSchema } },
    serve: async ({ call, ids, body }) =>
      written(201, await issueToken(served.context, call, { account: ids.account_id, ...body })),
  })
}

function revokeTokenRoute(served: Served): Route {
  return defineRoute({
    ...common(served),
    method: 'DELETE',
    path: `${path}/{token_id}`,
    operationId: 'revokeToken',
    summary: 'Revoke an API token; idempotent',
    ids: { ...accountIds, token_id: idPrefixes.token },
    answers: { 204: { description: 'The token is revoked.' } },
    failures: ['invalid_request', 'conflict'],
    serve: async ({ call, ids }) =>
      removed(
        await revokeToken(served.context, call, { account: ids.account_id, tokenId: ids.token_id }),
      ),
  })
}
