/** Submits a sender ID for approval, and decides on it. */

import { Failure, notFound } from '../../domain/failure.ts'
import { isSenderId, senderIdsMax } from '../../domain/senderIds.ts'
import type { SenderIdEvent, SenderIdState } from '../../events/verification/senderId.ts'

const form =
  'Must be 1 to 11 letters, digits, spaces inside and &+-._ with at least one letter, or a number of 3 to 15 digits.'

/**
 * The decision: what is pending or approved stays as it is, what was rejected starts anew. Throws `invalid_sender_id` for what no network
 * shows as a sender, `conflict` when the account has too many.
 */
export function submitSenderId(senderId: string) {
  return (state: SenderIdState): readonly SenderIdEvent[] => {
    if (!isSenderId(senderId)) {
      const details = [{ path: 'sender_id', message: form }]
      throw new Failure('invalid_sender_id', 'This cannot be a sender ID; see details.', {
        param: 'request',
        details,
      })
    }
    const standing = state.get(senderId)
    if (standing && standing.status !== 'rejected') return []
    if (!standing && state.size >= senderIdsMax) {
      throw new Failure('conflict', `An account has at most ${senderIdsMax} sender IDs.`)
    }
    return [{ type: 'SenderIdSubmitted', data: { sender_id: senderId } }]
  }
}

/** What the operator says of a sender ID; whoever is rejected is told why. */
export type SenderIdDecision =
  | { readonly status: 'approved'; readonly reason?: string }
  | { readonly status: 'rejected'; readonly reason: string }

/** The decision: the operator may change it, and nothing happens when it says what stands already. Throws `not_found`. */
export function decideSenderId(senderId: string, decision: SenderIdDecision) {
  return (state: SenderIdState): readonly SenderIdEvent[] => {
    const standing = state.get(senderId)
    if (!standing) throw notFound()
    const { status, reason } = decision
    if (standing.status === status && standing.reason === reason) return []
    if (decision.status === 'rejected') {
      return [{ type: 'SenderIdRejected', data: { sender_id: senderId, reason: decision.reason } }]
    }
    const data = { sender_id: senderId, ...(reason !== undefined && { reason }) }
    return [{ type: 'SenderIdApproved', data }]
  }
}
