/** Sender IDs as they are sent and answered. */

import { senderIdStatuses } from '../../domain/senderIds.ts'
import type {
  SenderIdAnswer,
  SenderIdView,
  SubmittedSenderId,
} from '../../service/verification/verificationPart.ts'
import { type Fields, inputSchema, optional, viewSchema } from '../request/fields.ts'
import { pageSchema } from '../request/pageSchema.ts'
import { type Schema, timeText } from '../request/schema.ts'

/** Characters of a reason. */
const reasonMax = 500

export interface GivenSenderId {
  readonly sender_id: string
}

export interface GivenApproval extends GivenSenderId {
  readonly reason?: string
}

export interface GivenRejection extends GivenSenderId {
  readonly reason: string
}

/** Longer texts are none, whatever they say; the others are looked at one by one. */
const senderId: Schema = {
  type: 'string',
  maxLength: 64,
  description:
    'As messages are to show it: 1 to 11 letters, digits, spaces inside and &+-._ with at least one letter, or a number of 3 to 15 digits.',
}

const reason: Schema = { type: 'string', minLength: 1, maxLength: reasonMax }

export const senderIdInputSchema: Schema = inputSchema<GivenSenderId>('SenderIdInput', {
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

export const senderIdsSchema: Schema = pageSchema(
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
