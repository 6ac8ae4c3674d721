/** Routes listing, rotating and retiring an application's signing keys. */

import { retireSigningKey, rotateSigningKey } from '../../commands/sessions/apps/signingKeys.ts'
import type { SigningKeyView } from '../../commands/sessions/views.ts'
import type { Principal } from '../../domain/principal.ts'
import { optional, type Schema, timeText } from '../../domain/schema.ts'
import { listSigningKeys } from '../../queries/sessions/apps.ts'
import { removed, seen, written } from '../request/answer.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { askingQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { viewSchema } from '../request/schema/fields.ts'
import { type AppBase, accountBase, appRef, operatorBase, type SessionsService } from './appBase.ts'

const signingKey: Schema = viewSchema<SigningKeyView>('SigningKey', {
  kid: { type: 'string' },
  public_key: { type: 'string', description: 'Ed25519, 43 characters of base64url.' },
  status: {
    type: 'string',
    enum: ['signs', 'verifies', 'retired'],
    description: 'The newest one signs; those before it verify until they are retired.',
  },
  added_at: timeText,
  retired_at: optional({ ...timeText, description: 'Absent while it verifies.' }),
})

const signingKeys: Schema = viewSchema<{ readonly signing_keys: readonly SigningKeyView[] }>(
  'SigningKeys',
  { signing_keys: { type: 'array', items: signingKey } },
)

/** `/v2/session/apps/{appID}/signing-keys` for the account itself, and the same for the operator. */
export function signingKeyRoutes(service: SessionsService): readonly Route[] {
  return [...routesOf(service, accountBase(service)), ...routesOf(service, operatorBase(service))]
}

function routesOf<Caller extends Principal>(
  { sessionsContext: context }: SessionsService,
  base: AppBase<Caller>,
): readonly Route[] {
  const { tag, access, ids, operation } = base
  const path = `${base.path}/{appID}/signing-keys`
  const common = { path, tag, access, ids: { ...ids, appID: 'app' as const } }
  return [
    defineRoute({
      ...common,
      method: 'GET',
      operationId: operation('listSigningKeys'),
      summary: 'List the signing keys of an application, the newest last, with those last retired',
      kind: 'read',
      query: askingQuery,
      answers: { 200: { description: 'The public halves.', schema: signingKeys } },
      failures: [],
      serve: async (asked) => {
        const { value, position } = await listSigningKeys(context, appRef(base, asked), asked.query)
        return seen({ value: { signing_keys: value }, position })
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      operationId: operation('rotateSigningKey'),
      summary: 'Have another key sign; those before it verify until they are retired',
      kind: 'write',
      answers: { 201: { description: 'The key that signs from now on.', schema: signingKey } },
      failures: ['invalid_request', 'conflict'],
      serve: async (asked) =>
        written(201, await rotateSigningKey(context, asked.call, appRef(base, asked))),
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: `${path}/{kid}`,
      operationId: operation('retireSigningKey'),
      summary: 'Retire a signing key that does not sign any more; again is no error',
      kind: 'write',
      ids: { ...common.ids, kid: 'kid' },
      answers: { 204: { description: 'Nothing is verified by it from now on.' } },
      failures: ['invalid_request', 'conflict'],
      serve: async (asked) => {
        const kid = asked.ids['kid'] ?? ''
        return removed(
          await retireSigningKey(context, asked.call, { app: appRef(base, asked), kid }),
        )
      },
    }),
  ]
}
