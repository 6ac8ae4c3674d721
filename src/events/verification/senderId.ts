/** Declares the events of an account's sender IDs (streams `sender_id-{account}`), and folds them. */

import type { SenderIdStatus } from '../../domain/verification/senderIds.ts'
import { type Definitions, plain } from '../recording/definition.ts'
import type { DomainEvent } from '../recording/event.ts'
import { object, word } from '../recording/schema.ts'

export type SenderIdEvent =
  | DomainEvent<'SenderIdSubmitted', { readonly sender_id: string }>
  /** By the operator; the reason says why, where one was given. */
  | DomainEvent<'SenderIdApproved', { readonly sender_id: string; readonly reason?: string }>
  | DomainEvent<'SenderIdRejected', { readonly sender_id: string; readonly reason: string }>

/** What was decided on one sender ID. */
export interface SenderIdStatusSaid {
  readonly status: SenderIdStatus
  /** Of the operator's decision; absent while it is pending. */
  readonly reason?: string
}

/** The sender IDs of an account, in the order in which they were first submitted. */
export type SenderIdState = Map<string, SenderIdStatusSaid>

/** What the event makes of its sender ID. */
export function senderIdAfter({ type, data }: SenderIdEvent): SenderIdStatusSaid {
  if (type === 'SenderIdSubmitted') return { status: 'pending' }
  const status = type === 'SenderIdApproved' ? 'approved' : 'rejected'
  return { status, ...(data.reason !== undefined && { reason: data.reason }) }
}

/** The sender IDs after one more event; mutates them. */
export function evolveSenderIds(state: SenderIdState, event: SenderIdEvent): SenderIdState {
  return state.set(event.data.sender_id, senderIdAfter(event))
}

/** The stream of an account's sender IDs. One for each account: how many it has is decided on. */
export function senderIdStream(account: string): string {
  return `sender_id-${account}`
}

export const senderIdEvents: Definitions<SenderIdEvent> = {
  SenderIdSubmitted: plain(object({ sender_id: word })),
  SenderIdApproved: plain(object({ sender_id: word }, { reason: word })),
  SenderIdRejected: plain(object({ sender_id: word, reason: word })),
}
