/** Declares the events of sender IDs (streams `sender_id-{account}`), and folds them. */

import type { SenderIdStatus } from '../../domain/verification/senderIds.ts'
import { defineNonPersonalEvent, type EventOf } from '../recording/eventDefinition.ts'
import { nonEmptyString } from '../recording/eventSchema.ts'

/** What was decided on one sender ID. */
export interface SenderIdOutcome {
  readonly status: SenderIdStatus
  /** Of the operator's decision; absent while it is pending. */
  readonly reason?: string
}

/** The sender IDs of an account, in the order in which they were first submitted. */
export type SenderIdState = Map<string, SenderIdOutcome>

export function toSenderIdOutcome({ type, data }: SenderIdEvent): SenderIdOutcome {
  if (type === 'SenderIdSubmitted') return { status: 'pending' }
  const status = type === 'SenderIdApproved' ? 'approved' : 'rejected'
  return { status, ...(data.reason !== undefined && { reason: data.reason }) }
}

/** The sender IDs after one more event; mutates them. */
export function evolveSenderIds(state: SenderIdState, event: SenderIdEvent): SenderIdState {
  return state.set(event.data.sender_id, toSenderIdOutcome(event))
}

/** The stream of an account's sender IDs. One for each account: how many it has is decided on. */
export function senderIdStream(account: string): string {
  return `sender_id-${account}`
}

export const senderIdEvents = {
  SenderIdSubmitted: defineNonPersonalEvent({ sender_id: nonEmptyString }),
  /** By the operator; the reason says why, where one was given. */
  SenderIdApproved: defineNonPersonalEvent(
    { sender_id: nonEmptyString },
    { reason: nonEmptyString },
  ),
  SenderIdRejected: defineNonPersonalEvent({ sender_id: nonEmptyString, reason: nonEmptyString }),
}

export type SenderIdEvent = EventOf<typeof senderIdEvents>
