/** What the operator of the installation does: accounts, their access and tokens. */

import { idPrefixes } from '../../domain/ids.ts'
import type {
  Access,
  AccountInput,
  AccountsPart,
  TokenInput,
} from '../../service/accounts/accountsPart.ts'
import { operatorAccess } from '../request/access.ts'
import { removed, written } from '../request/answer.ts'
import { noBody, schemaBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import {
  accessInputSchema,
  accessSchema,
  accountInputSchema,
  accountSchema,
  tokenInputSchema,
  tokenSchema,
} from './operatorSchemas.ts'

/** `/v2/operator`, all for the operator token alone. */
export function operatorRoutes(service: AccountsPart): readonly Route[] {
  return [
    openAccountRoute(service),
    setAccessRoute(service),
    issueTokenRoute(service),
    revokeTokenRoute(service),
  ]
}

const accountPath = '/v2/operator/accounts/{account_id}'
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

function openAccountRoute(service: AccountsPart): Route {
  return defineRoute({
    ...common(service),
    method: 'POST',
    path: '/v2/operator/accounts',
    operationId: 'openAccount',
    summary: 'Open an account',
    ids: {},
    body: schemaBody<AccountInput>(accountInputSchema),
    answers: { 201: { description: 'The account is open.', schema: accountSchema } },
    serve: async ({ call, body }) => written(201, await service.accounts.open(call, body)),
  })
}

function setAccessRoute(service: AccountsPart): Route {
  return defineRoute({
    ...common(service),
    method: 'PUT',
    path: `${accountPath}/access`,
    operationId: 'setAccess',
    summary: 'Say what an account may use',
    ids: accountIds,
    body: schemaBody<Partial<Access>>(accessInputSchema),
    answers: { 200: { description: 'The access of the account.', schema: accessSchema } },
    serve: async ({ call, ids, body }) =>
      written(200, await service.accounts.setAccess(call, ids.account_id, body)),
  })
}

function issueTokenRoute(service: AccountsPart): Route {
  return defineRoute({
    ...common(service),
    method: 'POST',
    path: `${accountPath}/tokens`,
    operationId: 'issueToken',
    summary: 'Issue an API token',
    ids: accountIds,
    body: schemaBody<TokenInput>(tokenInputSchema),
    answers: { 201: { description: 'The token.', schema: tokenSchema } },
    serve: async ({ call, ids, body }) =>
      written(201, await service.accounts.issueToken(call, ids.account_id, body)),
  })
}

function revokeTokenRoute(service: AccountsPart): Route {
  return defineRoute({
    ...common(service),
    method: 'DELETE',
    path: `${accountPath}/tokens/{token_id}`,
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
