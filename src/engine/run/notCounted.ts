/** Signals that were sent and are no evidence: kept apart, so that whoever asks why a value was not used is told. */

import type { EvidenceItem, EvidenceSource } from './evidence.ts'

/** Every reason for which a signal that was sent does not count (spec 2.1, 2.3; design 4.8). */
export const notCountedReasons = [
  /** A device or network signal of a request that names no dispatch. */
  'needs_dispatch',
  /** The dispatch brought another value. */
  'dispatch_value_wins',
  /** The operator has not agreed the signal with the account. */
  'trusted_user_not_agreed',
  /** The caller's own word, out of a dispatch. */
  'front_end_cannot_vouch',
  /** A private, loopback or link-local address, which is nobody's on the public network. */
  'address_not_public',
  /** A field of the request that the service does not know. */
  'unknown_field',
] as const

export type NotCountedReason = (typeof notCountedReasons)[number]

/** One signal as it was sent. */
export interface NotCounted {
  /** As rules name it: `signal.ip`; of an unknown field its path: `signals.exising_user`. */
  readonly name: string
  /** Never an empty text, which is the same as not sent. */
  readonly value: Exclude<EvidenceItem['value'], number>
  readonly source: Extract<EvidenceSource, 'request' | 'dispatch'>
  readonly reason: NotCountedReason
}
