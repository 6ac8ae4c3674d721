/** What arrived for one evaluation: a value and its source for every name that has one. */

/** Where the value of a name can come from. */
export const evidenceSources = ['dispatch', 'request', 'user_agent', 'list', 'service'] as const

export type EvidenceSource = (typeof evidenceSources)[number]

export interface EvidenceItem {
  /** `request.time` is milliseconds since the Unix epoch; every other value is text or bool. An empty text never stands here. */
  readonly value: string | boolean | number
  readonly source: EvidenceSource
  /** Of the answer of a list: the position of the log up to which the list was read. Absent where it is not known. */
  readonly revision?: number
}

/**
 * Evidence by the names of the rule language: `signal.ip`, `signal.ext.cart_total`, `target.phone_number`, `list.block`,
 * `request.time`. A name that is not a key did not arrive.
 */
export type Evidence = ReadonlyMap<string, EvidenceItem>
