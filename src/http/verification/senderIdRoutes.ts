/** Routes listing and submitting the sender IDs of an account (spec 4.3). */

import { type SenderIdAnswer, submitSenderId } from '../../commands/verification/senderIds.ts'
import { optional, pageSchema, type Schema, timeText } from '../../domain/schema.ts'
import { senderIdStatuses } from '../../domain/verification/senderIds.ts'
import {
  listSenderIds,
  type SenderIdView,
  type SubmittedSenderId,
} from '../../queries/verification/senderIds.ts'
import { seenPage, written } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { accountAccess, type Route, type Served } from '../request/route.ts'
import { type Fields, inputSchema, viewSchema } from '../request/schema/fields.ts'
import { wholeOrPage } from '../request/wholeOrPage.ts'

/** Characters of a reason. */
const reasonMax = 500

/** Longer texts are none, whatever they say; the others are looked at one by one. */
const senderId: Schema = {
  type: 'string',
  maxLength: 64,
  description:
    'As messages are to show it: 1 to 11 letters, digits, spaces inside and &+-._ with at least one letter, or a number of 3 to 15 digits.',
}

const reason: Schema = { type: 'string', minLength: 1, maxLength: reasonMax }

const senderIdInputSchema: Schema = inputSchema<GivenSenderId>('SenderIdInput', {
  sender_id: senderId,
})

export const approvalSchema: Schema = inputSchema<GivenApproval>('SenderIdApproval', {
  sender_id: senderId,
  reason: optional(reason),
})

export const rejectionSchema: Schema = inputSchema<GivenRejection>('SenderIdRejection', {
  sender_id: senderId,
  reason: { ...reason, description: 'What the account is told.' },
})

const answered = {
  sender_id: { type: 'string' },
  status: { type: 'string', enum: senderIdStatuses },
  reason: optional({
    type: 'string',
    description: "Of the operator's decision; absent while it is pending.",
  }),
} satisfies Fields<SenderIdAnswer>

export const senderIdAnswerSchema: Schema = viewSchema<SenderIdAnswer>('SenderId', answered)

const listed = {
  ...answered,
  submitted_at: timeText,
  decided_at: optional({ ...timeText, description: 'Absent while it is pending.' }),
} satisfies Fields<SenderIdView>

const senderIdsSchema: Schema = pageSchema(
  'SenderIdPage',
  'sender_ids',
  viewSchema<SenderIdView>('ListedSenderId', listed),
)

export const submittedSenderIdsSchema: Schema = pageSchema(
  'SubmittedSenderIdPage',
  'sender_ids',
  viewSchema<SubmittedSenderId>('SubmittedSenderId', {
    account_id: { type: 'string' },
    ...listed,
  }),
)

/** `/v2/verification/management/sender-id`, for accounts on which the operator has enabled it. */
export function senderIdRoutes({ authenticate, context }: Served): readonly Route[] {
  const common = {
    path: '/v2/verification/management/sender-id',
    tag: 'Verification management',
    access: accountAccess(authenticate, 'manage'),
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
      answers: { 200: { description: 'The sender IDs.', schema: senderIdsSchema } },
      serve: async ({ call, query }) =>
        seenPage('sender_ids', await listSenderIds(context, call, query)),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      kind: 'write',
      operationId: 'submitSenderId',
      summary: 'Submit a sender ID for approval; one that is pending or approved is no error',
      failures: ['access_not_enabled', 'invalid_sender_id', 'conflict'],
      body: schemaBody<GivenSenderId>(senderIdInputSchema),
      answers: { 200: { description: 'What stands of it.', schema: senderIdAnswerSchema } },
      serve: async ({ call, body }) =>
        written(200, await submitSenderId(context, call, body.sender_id)),
    }),
  ]
}

interface GivenSenderId {
  readonly sender_id: string
}

export interface GivenApproval extends GivenSenderId {
  readonly reason?: string
}

export interface GivenRejection extends GivenSenderId {
  readonly reason: string
}
