/** Lists the versions of the rule semantics, and how they differ. */

import { type Charges, measuredCharges } from './charges.ts'

/** What the same expression over the same evidence gives, where versions differ in it. */
export interface Semantics {
  readonly version: number
  /** What a run costs, and how much it may cost: a rule beyond it is unavailable. */
  readonly charges: Charges
}

/**
 * What new plans are made with, recorded with every evaluation. Rises when the same expression over the same evidence could give
 * another outcome than before; an evaluation is replayed with the meaning it was made with.
 */
export const currentSemantics: Semantics = Object.freeze({ version: 1, charges: measuredCharges })

export const semanticsVersion = currentSemantics.version

/** Every version that this release knows. */
export const semanticsVersions: readonly Semantics[] = Object.freeze([currentSemantics])
