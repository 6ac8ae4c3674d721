/** The sender IDs of an account (spec 4.3). */

import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type { VerificationPart } from '../../service/verification/verificationPart.ts'
import { accountAccess } from '../request/access.ts'
import { seen, written } from '../request/answer.ts'
import { noBody, schemaBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { wholeOrPage } from '../request/wholeOrPage.ts'
import {
  type GivenSenderId,
  senderIdAnswerSchema,
  senderIdInputSchema,
  senderIdsSchema,
} from './senderIdSchemas.ts'

/** `/v2/verification/management/sender-id`, for accounts on which the operator has enabled it. */
export function senderIdRoutes({
  authenticate,
  senderIds,
}: AccountsPart & VerificationPart): readonly Route[] {
  const common = {
    path: '/v2/verification/management/sender-id',
    tag: 'Verification management',
    access: accountAccess(authenticate, 'manage'),
    ids: {},
  } as const
  return [
    defineRoute({
      ...common,
      method: 'GET',
      kind: 'read',
      operationId: 'listSenderIds',
      summary: 'The sender IDs of the account in the order first submitted: all, or a page',
      failures: ['access_not_enabled'],
      query: wholeOrPage,
      body: noBody,
      answers: { 200: { description: 'The sender IDs.', schema: senderIdsSchema } },
      serve: async ({ call, query }) => {
        const { value, position } = await senderIds.list(call, query)
        const { items, nextCursor } = value
        return seen({ value: { sender_ids: items, next_cursor: nextCursor }, position })
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      kind: 'write',
      operationId: 'submitSenderId',
      summary: 'Submit a sender ID for approval; one that is pending or approved is no error',
      failures: ['access_not_enabled', 'invalid_sender_id', 'conflict'],
      query: noQuery,
      body: schemaBody<GivenSenderId>(senderIdInputSchema),
      answers: { 200: { description: 'What stands of it.', schema: senderIdAnswerSchema } },
      serve: async ({ call, body }) => written(200, await senderIds.submit(call, body.sender_id)),
    }),
  ]
}
