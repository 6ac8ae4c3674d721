/** What the operator of the installation does: accounts and their access. */

import { idPrefixes } from '../../domain/ids.ts'
import type {
  Access,
  AccountInput,
  AccountsPart,
  AccountView,
} from '../../service/accounts/accountsPart.ts'
import { written } from '../request/answer.ts'
import { schemaBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { type Fields, inputSchema, optionalFields, viewSchema } from '../request/fields.ts'
import { noQuery } from '../request/queryReader.ts'
import { operatorAccess, type Route } from '../request/route.ts'
import { limits, type Schema } from '../request/schema.ts'

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

const accessInputSchema: Schema = inputSchema<Partial<Access>>(
  'AccessInput',
  optionalFields(access),
  { description: 'What is left out stays as it is.', minProperties: 1 },
)

const accessSchema: Schema = viewSchema<Access>('Access', access)

/** `/v2/operator`, all for the operator token alone. */
export function operatorRoutes(service: AccountsPart): readonly Route[] {
  return [openAccountRoute(service), setAccessRoute(service)]
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
