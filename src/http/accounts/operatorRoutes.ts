/** Routes opening an account and setting which APIs it may use (operator). */

import {
  type Access,
  type AccessInput,
  type AccountInput,
  openAccount,
  setAccess,
} from '../../commands/accounts/accounts.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { limits, optionalFields, type Schema } from '../../domain/schema.ts'
import type { AccountView } from '../../queries/accounts/accounts.ts'
import { written } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { operatorAccess, type Route, type Served } from '../request/route.ts'
import { type Fields, inputSchema, viewSchema } from '../request/schema/fields.ts'

const access = {
  authoring: { type: 'boolean' },
  management: { type: 'boolean' },
  trusted_user: { type: 'boolean' },
  custom_suffix: { type: 'boolean' },
} satisfies Fields<Access>

const accountInputSchema: Schema = inputSchema<AccountInput>('AccountInput', {
  name: { type: 'string', minLength: 1, maxLength: limits.name },
})

const accountSchema: Schema = viewSchema<Pick<AccountView, 'account_id'>>('Account', {
  account_id: { type: 'string' },
})

const accessInputSchema: Schema = inputSchema<AccessInput>('AccessInput', optionalFields(access), {
  description: 'What is left out stays as it is.',
  minProperties: 1,
})

const accessSchema: Schema = viewSchema<Access>('Access', access)

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
    body: schemaBody<AccountInput>(accountInputSchema),
    answers: { 201: { description: 'The account is open.', schema: accountSchema } },
    serve: async ({ call, body }) => written(201, await openAccount(served.context, call, body)),
  })
}

function setAccessRoute(served: Served): Route {
  return defineRoute({
    ...common(served),
    method: 'PUT',
    path: `${accountPath}/access`,
    operationId: 'setAccess',
    summary: 'Say what an account may use',
    ids: accountIds,
    body: schemaBody<AccessInput>(accessInputSchema),
    answers: { 200: { description: 'The access of the account.', schema: accessSchema } },
    serve: async ({ call, ids, body }) =>
      written(200, await setAccess(served.context, call, { account: ids.account_id, ...body })),
  })
}
