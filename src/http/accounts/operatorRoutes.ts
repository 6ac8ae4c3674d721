/** What the operator of the installation does: accounts, their access and tokens, dispatches. */

import { type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import { idPrefixes } from '../../domain/ids.ts'
import type { Scope } from '../../domain/principal.ts'
import type { Signals } from '../../domain/signals.ts'
import type { Service } from '../../service.ts'
import { operatorAccess } from '../request/access.ts'
import { removed, written } from '../request/answer.ts'
import { noBody, schemaBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { keepSignals, readIp } from '../signals/readSignals.ts'
import {
  accessInputSchema,
  accessSchema,
  accountInputSchema,
  accountSchema,
  dispatchInputSchema,
  dispatchSchema,
  tokenInputSchema,
  tokenSchema,
} from './operatorSchemas.ts'

/** `/v2/operator`, all for the operator token alone. */
export function operatorRoutes(service: Service): readonly Route[] {
  return [
    openAccountRoute(service),
    setAccessRoute(service),
    issueTokenRoute(service),
    revokeTokenRoute(service),
    recordDispatchRoute(service),
  ]
}

const accountPath = '/v2/operator/accounts/{account_id}'
const accountIds = { account_id: idPrefixes.account }

function common({ authenticate }: Service) {
  return {
    tag: 'Operator',
    kind: 'write',
    access: operatorAccess(authenticate),
    query: noQuery,
    failures: ['conflict'],
  } as const
}

function openAccountRoute(service: Service): Route {
  return defineRoute({
    ...common(service),
    method: 'POST',
    path: '/v2/operator/accounts',
    operationId: 'openAccount',
    summary: 'Open an account',
    ids: {},
    body: schemaBody<{ readonly name: string }>(accountInputSchema),
    answers: { 201: { description: 'The account is open.', schema: accountSchema } },
    serve: async ({ call, body }) => written(201, await service.operator.openAccount(call, body)),
  })
}

function setAccessRoute(service: Service): Route {
  return defineRoute({
    ...common(service),
    method: 'PUT',
    path: `${accountPath}/access`,
    operationId: 'setAccess',
    summary: 'Say what an account may use',
    ids: accountIds,
    body: schemaBody<Parameters<Service['operator']['setAccess']>[2]>(accessInputSchema),
    answers: { 200: { description: 'The access of the account.', schema: accessSchema } },
    serve: async ({ call, ids, body }) =>
      written(200, await service.operator.setAccess(call, ids.account_id, body)),
  })
}

function issueTokenRoute(service: Service): Route {
  return defineRoute({
    ...common(service),
    method: 'POST',
    path: `${accountPath}/tokens`,
    operationId: 'issueToken',
    summary: 'Issue an API token',
    ids: accountIds,
    body: schemaBody<{ readonly scopes: readonly Scope[] }>(tokenInputSchema),
    answers: { 201: { description: 'The token.', schema: tokenSchema } },
    serve: async ({ call, ids, body }) =>
      written(201, await service.operator.issueToken(call, ids.account_id, body)),
  })
}

function revokeTokenRoute(service: Service): Route {
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
      removed(await service.operator.revokeToken(call, ids.account_id, ids.token_id)),
  })
}

interface DispatchBody {
  readonly dispatch_id: string
  readonly signals: Signals
}

function recordDispatchRoute(service: Service): Route {
  return defineRoute({
    ...common(service),
    method: 'POST',
    path: `${accountPath}/dispatches`,
    operationId: 'recordDispatch',
    summary: 'Record the signals of a dispatch',
    ids: accountIds,
    body: schemaBody<DispatchBody>(dispatchInputSchema),
    answers: { 201: { description: 'The dispatch is recorded.', schema: dispatchSchema } },
    serve: async ({ call, ids, body }) =>
      written(
        201,
        await service.operator.recordDispatch(call, ids.account_id, canonicalDispatch(body)),
      ),
  })
}

function canonicalDispatch({ dispatch_id, signals }: DispatchBody): DispatchBody {
  const problems: FailureDetail[] = []
  const ip = readIp(signals.ip, problems)
  if (problems.length > 0) throw invalidRequest(problems)
  return { dispatch_id, signals: keepSignals(signals, ip) }
}
