/** Declares the routes for the operator's accounts: list, find, open, and set what each may use. */

import {
  accessInputSchema,
  accessSchema,
  accountInputSchema,
  openAccount,
  openedAccountSchema,
  setAccess,
} from '../../commands/accounts/accounts.ts'
import { idPrefixes } from '../../domain/ids.ts'
import {
  accountListSchema,
  accountSchema,
  findAccount,
  listAccounts,
} from '../../queries/accounts/accounts.ts'
import { seen, seenPage, written } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { askingQuery, pageQuery } from '../request/queryReader.ts'
import { operatorAccess, type Route, type Served } from '../request/route.ts'

/** `GET /v2/operator/accounts` and one of them. */
export function accountRoutes({ authenticate, context }: Served): readonly Route[] {
  const common = {
    method: 'GET',
    tag: 'Operator',
    kind: 'read',
    access: operatorAccess(authenticate),
    failures: [],
  } as const
  return [
    defineRoute({
      ...common,
      path: '/v2/operator/accounts',
      operationId: 'listAccounts',
      summary: 'List the accounts, in the order they were opened',
      query: pageQuery,
      answers: { 200: { description: 'One page of accounts.', schema: accountListSchema } },
      serve: async ({ call, query }) =>
        seenPage('accounts', await listAccounts(context, call, query)),
    }),
    defineRoute({
      ...common,
      path: '/v2/operator/accounts/{account_id}',
      operationId: 'getAccount',
      summary: 'Retrieve an account',
      ids: { account_id: idPrefixes.account },
      query: askingQuery,
      answers: { 200: { description: 'The account.', schema: accountSchema } },
      serve: async ({ ids, query }) =>
        seen(await findAccount(context, { id: ids.account_id, ...query })),
    }),
  ]
}

/** `/v2/operator`, all for the operator token alone. */
export function operatorRoutes(served: Served): readonly Route[] {
  return [openAccountRoute(served), setAccessRoute(served)]
}

const accountPath = '/v2/operator/accounts/{account_id}'
const accountIds = { account_id: idPrefixes.account }

function common({ authenticate }: Served) {
  return {
    tag: 'Operator',
    kind: 'write',
    access: operatorAccess(authenticate),
    failures: ['conflict'],
  } as const
}

function openAccountRoute(served: Served): Route {
  return defineRoute({
    ...common(served),
    method: 'POST',
    path: '/v2/operator/accounts',
    operationId: 'openAccount',
    summary: 'Open an account',
    body: schemaBody(accountInputSchema),
    answers: { 201: { description: 'The account.', schema: openedAccountSchema } },
    serve: async ({ call, body }) => written(201, await openAccount(served.context, call, body)),
  })
}

function setAccessRoute(served: Served): Route {
  return defineRoute({
    ...common(served),
    method: 'PUT',
    path: `${accountPath}/access`,
    operationId: 'setAccess',
    summary: 'Set the access of an account',
    ids: accountIds,
    body: schemaBody(accessInputSchema),
    answers: { 200: { description: 'The access of the account.', schema: accessSchema } },
    serve: async ({ call, ids, body }) =>
      written(200, await setAccess(served.context, call, { account: ids.account_id, ...body })),
  })
}
