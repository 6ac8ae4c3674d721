/** Declares what an event says in clear of the counters that count it. */

import { asSchemaOf } from '../../domain/jsonSchema.ts'
import { list, nonEmptyString, tuple } from './eventSchema.ts'

/**
 * One entry for each series of counters that the event counts in: the id of the series, the keyed digest of the key,
 * and what is counted. A number is added up, a text is a value to be told apart (its keyed digest), and null is a text
 * that a sum leaves out, as it is no integer.
 */
const tally = tuple(
  nonEmptyString,
  nonEmptyString,
  asSchemaOf<string | number | null>({ type: ['string', 'integer', 'null'] }),
)

export type Tally = readonly [series: string, key: string, counted: string | number | null]

/** Absent where the account has no counters that the event counts in. */
export const talliesField = { tallies: list(tally) }
