/** Routes issuing, restricting by origin and revoking public SDK keys (operator). */

import {
  type IssuedSdkKey,
  issueSdkKey,
  revokeSdkKey,
  type SdkKeyInput,
  type SdkKeyOrigins,
  setSdkKeyOrigins,
} from '../../commands/accounts/sdkKeys.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { originLengthMax } from '../../domain/network/webOrigin.ts'
import { limits, optional, type Schema } from '../../domain/schema.ts'
import { removed, written } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { operatorAccess, type Route, type Served } from '../request/route.ts'
import { inputSchema, viewSchema } from '../request/schema/fields.ts'

/** Origins that a key may have. */
const originsMax = 50

export const sdkKeyOriginsField: Schema = {
  type: 'array',
  maxItems: originsMax,
  uniqueItems: true,
  items: { type: 'string', minLength: 1, maxLength: originLengthMax },
  description:
    'Of which origins the pages are that may use the key, such as https://shop.example; without any, all may, and apps.',
}

const sdkKeyOriginsSchema: Schema = inputSchema<SdkKeyOrigins>('SdkKeyOrigins', {
  origins: sdkKeyOriginsField,
})

const sdkKeyInputSchema: Schema = inputSchema<SdkKeyInput>('SdkKeyInput', {
  name: optional({
    type: 'string',
    minLength: 1,
    maxLength: limits.name,
    description: 'What to call it: the site or the app that it stands in.',
  }),
  origins: optional(sdkKeyOriginsField),
})

const sdkKeySchema: Schema = viewSchema<IssuedSdkKey>('SdkKey', {
  key_id: { type: 'string' },
  sdk_key: {
    type: 'string',
    description:
      'What front ends send as `X-SDK-Key`. Public: good for sending signals, and for nothing else.',
  },
  name: optional({ type: 'string' }),
  origins: optional(sdkKeyOriginsField),
})

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
      body: schemaBody<SdkKeyInput>(sdkKeyInputSchema),
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
      summary: 'Say whose pages may use an SDK key',
      ids: { ...accountIds, key_id: idPrefixes.sdkKey },
      body: schemaBody<SdkKeyOrigins>(sdkKeyOriginsSchema),
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
      summary: 'Revoke an SDK key; one that is revoked already is no error',
      ids: { ...accountIds, key_id: idPrefixes.sdkKey },
      answers: { 204: { description: 'The key is refused from now on.' } },
      failures: ['invalid_request', 'conflict'],
      serve: async ({ call, ids }) =>
        removed(await revokeSdkKey(context, call, { account: ids.account_id, keyId: ids.key_id })),
    }),
  ]
}
