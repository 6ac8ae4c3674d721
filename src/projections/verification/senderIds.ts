/** Projects the sender IDs of accounts: submission, and the operator's decision. */

import type { SenderIdStatus } from '../../domain/verification/senderIds.ts'
import { type SenderIdEvent, toSenderIdOutcome } from '../../events/verification/senderId.ts'
import {
  type CreatedPosition,
  defineCollection,
  defineProjection,
  keepCreatedPosition,
} from '../running/projection.ts'

/** By `{account}/{sender ID}`. Times are in milliseconds since the Unix epoch. */
export interface SenderIdDocument extends CreatedPosition {
  readonly account: string
  readonly sender_id: string
  readonly status: SenderIdStatus
  /** Of the decision; absent while it is pending. */
  readonly reason?: string
  /** The last time; what was rejected may be submitted again. */
  readonly submitted_at: number
  /** Absent while it is pending. */
  readonly decided_at?: number
}

const identity = { name: 'sender_ids', version: 1 } as const
export const senderIdCollection = defineCollection<SenderIdDocument>({
  projection: identity,
  indexes: [['made'], ['status', 'made'], ['account', 'made'], ['account', 'status', 'made']],
})

export const senderIdsProjection = defineProjection<SenderIdEvent, SenderIdDocument>({
  ...identity,
  collections: [senderIdCollection],
  eventTypes: ['SenderIdSubmitted', 'SenderIdApproved', 'SenderIdRejected'],
  targets: ({ event, metadata }) => [
    { collection: senderIdCollection, id: `${metadata.account}/${event.data.sender_id}` },
  ],
  apply: (document, { event, metadata: { account, time }, position }) => {
    const { sender_id } = event.data
    const said = {
      ...keepCreatedPosition(document, position),
      account,
      sender_id,
      ...toSenderIdOutcome(event),
    }
    if (event.type === 'SenderIdSubmitted') return { ...said, submitted_at: time }
    if (!document) throw new Error(`${event.type} of what was never submitted`)
    return { ...said, submitted_at: document.submitted_at, decided_at: time }
  },
})
