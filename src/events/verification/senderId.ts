/** The family of sender IDs: streams `sender_id-{account}`, so that how many an account has is decided in one place. */

import type { SenderIdStatus } from '../../domain/senderIds.ts'
import { type Definitions, plain } from '../recording/definition.ts'
import type { DomainEvent } from '../recording/event.ts'
import { object, word } from '../recording/schema.ts'

export type SenderIdEvent =
  | DomainEvent<'SenderIdSubmitted', { readonly sender_id: string }>
  /** By the operator; the reason says why, where one was given. */
  | DomainEvent<'SenderIdApproved', { readonly sender_id: string; readonly reason?: string }>
  | DomainEvent<'SenderIdRejected', { readonly sender_id: string; readonly reason: string }>

/** What stands of one sender ID. */
export interface SenderIdStanding {
  readonly status: SenderIdStatus
  /** Of the operator's decision; absent while it is pending. */
  readonly reason?: string
}

/** The sender IDs of an account, in the order in which they were first submitted. */
export type SenderIdState = Map<string, SenderIdStanding>

/** What the event makes of its sender ID. */
export function standingAfter({ type, data }: SenderIdEvent): SenderIdStanding {
  if (type === 'SenderIdSubmitted') return { status: 'pending' }
  const status = type === 'SenderIdApproved' ? 'approved' : 'rejected'
  return { status, ...(data.reason !== undefined && { reason: data.reason }) }
}

/** The stream of an account's sender IDs. */
export function senderIdStream(account: string): string {
  return `sender_id-${account}`
}

export const senderIdEvents: Definitions<SenderIdEvent> = {
  SenderIdSubmitted: plain(object({ sender_id: word })),
  SenderIdApproved: plain(object({ sender_id: word }, { reason: word })),
  SenderIdRejected: plain(object({ sender_id: word, reason: word })),
}
