/** What the operator sees of the accounts. */

import { idPrefixes } from '../../domain/ids.ts'
import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import { operatorAccess } from '../request/access.ts'
import { seen } from '../request/answer.ts'
import { noBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { askingQuery, pageQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { accountListSchema, accountViewSchema } from './accountSchemas.ts'

/** `GET /v2/operator/accounts` and one of them. */
export function accountRoutes({ authenticate, accounts }: AccountsPart): readonly Route[] {
  const common = {
    method: 'GET',
    tag: 'Operator',
    kind: 'read',
    access: operatorAccess(authenticate),
    body: noBody,
    failures: [],
  } as const
  return [
    defineRoute({
      ...common,
      path: '/v2/operator/accounts',
      operationId: 'listAccounts',
      summary: 'List the accounts, in the order they were opened',
      ids: {},
      query: pageQuery,
      answers: { 200: { description: 'One page of accounts.', schema: accountListSchema } },
      serve: async ({ call, query }) => {
        const { value, position } = await accounts.list(call, query)
        const { items, nextCursor } = value
        return seen({ value: { accounts: items, next_cursor: nextCursor }, position })
      },
    }),
    defineRoute({
      ...common,
      path: '/v2/operator/accounts/{account_id}',
      operationId: 'getAccount',
      summary: 'Retrieve an account',
      ids: { account_id: idPrefixes.account },
      query: askingQuery,
      answers: { 200: { description: 'The account.', schema: accountViewSchema } },
      serve: async ({ call, ids, query }) => seen(await accounts.get(call, ids.account_id, query)),
    }),
  ]
}
