/** Declares the routes for issuing, restricting by origin and revoking public SDK keys (operator). */

import {
  issueSdkKey,
  revokeSdkKey,
  sdkKeyInputSchema,
  sdkKeyOriginsSchema,
  sdkKeySchema,
  setSdkKeyOrigins,
} from '../../commands/accounts/sdkKeys.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { removed, written } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { operatorAccess, type Route, type Served } from '../request/route.ts'

const path = '/v2/operator/accounts/{account_id}/sdk-keys'
const accountIds = { account_id: idPrefixes.account }

/** `/v2/operator/accounts/{account_id}/sdk-keys`, all for the operator token alone; they are listed with their account. */
export function sdkKeyRoutes({ authenticate, context }: Served): readonly Route[] {
  const common = {
    tag: 'Operator',
    kind: 'write',
    access: operatorAccess(authenticate),
  } as const
  return [
    defineRoute({
      ...common,
      method: 'POST',
      path,
      operationId: 'issueSdkKey',
      summary: 'Issue a public SDK key',
      ids: accountIds,
      body: schemaBody(sdkKeyInputSchema),
      answers: { 201: { description: 'The key.', schema: sdkKeySchema } },
      failures: ['conflict'],
      serve: async ({ call, ids, body }) =>
        written(201, await issueSdkKey(context, call, { account: ids.account_id, ...body })),
    }),
    defineRoute({
      ...common,
      method: 'PUT',
      path: `${path}/{key_id}`,
      operationId: 'setSdkKeyOrigins',
      summary: 'Set the origins of an SDK key',
      ids: { ...accountIds, key_id: idPrefixes.sdkKey },
      body: schemaBody(sdkKeyOriginsSchema),
      answers: { 200: { description: 'The key, with these origins.', schema: sdkKeySchema } },
      failures: ['conflict'],
      serve: async ({ call, ids: { account_id, key_id }, body }) =>
        written(
          200,
          await setSdkKeyOrigins(context, call, { account: account_id, keyId: key_id, ...body }),
        ),
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: `${path}/{key_id}`,
      operationId: 'revokeSdkKey',
      summary: 'Revoke an SDK key; idempotent',
      ids: { ...accountIds, key_id: idPrefixes.sdkKey },
      answers: { 204: { description: 'The key is revoked.' } },
      failures: ['invalid_request', 'conflict'],
      serve: async ({ call, ids }) =>
        removed(await revokeSdkKey(context, call, { account: ids.account_id, keyId: ids.key_id })),
    }),
  ]
}
