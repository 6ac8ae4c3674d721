/** The versions of the meaning of rules, and in what they differ. */

import type { Charges } from './charges/charge.ts'
import { firstCharges } from './charges/firstCharges.ts'
import { measuredCharges } from './charges/measuredCharges.ts'

/** What the same expression over the same evidence gives, where versions differ in it. */
export interface Semantics {
  readonly version: number
  /**
   * Whether reads that no run can reach, as every `has` is answered, do not count (design 4.3). What fails without any read in it is
   * then blamed on the name that its `has` asks for.
   */
  readonly guards: boolean
  /** Whether weights add up exactly also beyond 2^53. */
  readonly exactSums: boolean
  /** Whether the letters of an email domain are those of ASCII: a sign that has one of them in lower case is none. */
  readonly asciiDomains: boolean
  /** Whether rules can ask lists by name. */
  readonly lists: boolean
  /** What a run costs, and how much it may cost: a rule beyond it is unavailable. */
  readonly charges: Charges
}

const first: Semantics = Object.freeze({
  version: 1,
  guards: false,
  exactSums: false,
  asciiDomains: false,
  lists: false,
  charges: firstCharges,
})
const second: Semantics = Object.freeze({ ...first, version: 2, guards: true, exactSums: true })

const third: Semantics = Object.freeze({
  ...second,
  version: 3,
  asciiDomains: true,
  charges: measuredCharges,
})

/**
 * What new plans are made with, recorded with every evaluation. Rises when the same expression over the same evidence could give
 * another outcome than before; an evaluation is replayed with the meaning it was made with.
 */
export const currentSemantics: Semantics = Object.freeze({ ...third, version: 4, lists: true })

export const semanticsVersion = currentSemantics.version

/** Every version that this release knows. */
export const semanticsVersions: readonly Semantics[] = Object.freeze([
  first,
  second,
  third,
  currentSemantics,
])
