/** Declares the evidence of an evaluation, and why a signal does not count. */

/** Every reason for which a signal that was sent does not count (spec 2.1, 2.3; design 4.8). */
export const notCountedReasons = [
  /** A device or network signal of a request that names no dispatch. */
  'needs_dispatch',
  /** The dispatch brought another value. */
  'dispatch_value_wins',
  /** The operator has not agreed the signal with the account. */
  'trusted_user_not_agreed',
  /** A caller's signal in a dispatch of the front end. */
  'front_end_cannot_vouch',
  /** A private, loopback or link-local address. */
  'address_not_public',
  /** An unknown field of the request. */
  'unknown_field',
] as const

/** The sources of evidence. */
export const evidenceSources = ['dispatch', 'request', 'user_agent', 'list', 'service'] as const

export type EvidenceSource = (typeof evidenceSources)[number]

export interface EvidenceItem {
  /** `request.time` is milliseconds since the Unix epoch; every other value is text or bool. Never an empty text. */
  readonly value: string | boolean | number
  readonly source: EvidenceSource
  /** For a list's answer: the position of the log up to which the list was read, if known. */
  readonly revision?: number
}

/**
 * Evidence by the names of the rule language: `signal.ip`, `signal.ext.cart_total`, `target.phone_number`, `list.block`,
 * `request.time`. A name that is not a key did not arrive.
 */
export type Evidence = ReadonlyMap<string, EvidenceItem>

export type NotCountedReason = (typeof notCountedReasons)[number]

/** One signal as it was sent. */
export interface NotCounted {
  /** As rules name it: `signal.ip`; of an unknown field its path: `signals.exising_user`. */
  readonly name: string
  /** Never an empty text. */
  readonly value: Exclude<EvidenceItem['value'], number>
  readonly source: Extract<EvidenceSource, 'request' | 'dispatch'>
  readonly reason: NotCountedReason
}

export interface ListAnswer {
  readonly listed: boolean
  /** Position of the log up to which the list was read; absent for an account that never had lists, and for what is only tried. */
  readonly revision?: number
}

export interface ListAnswers {
  readonly allow: ListAnswer
  readonly block: ListAnswer
}
