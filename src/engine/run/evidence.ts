/** What arrived for one evaluation: a value and its source for every name that has one. */

export type EvidenceSource = 'dispatch' | 'request' | 'user_agent' | 'list' | 'service'

export interface EvidenceItem {
  /** `request.time` is milliseconds since the Unix epoch; every other value is text or bool. An empty text never stands here. */
  readonly value: string | boolean | number
  readonly source: EvidenceSource
}

/**
 * Evidence by the names of the rule language: `signal.ip`, `signal.ext.cart_total`, `target.phone_number`, `list.block`,
 * `request.time`. A name that is not a key did not arrive.
 */
export type Evidence = ReadonlyMap<string, EvidenceItem>
