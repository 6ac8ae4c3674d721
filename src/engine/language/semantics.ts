/** Lists the versions of the rule semantics, and how they differ. */

import { Failure } from '../../domain/failure.ts'
import { type Charges, measuredCharges } from './operationCosts.ts'

/** The differences between versions of the rule semantics. */
export interface Semantics {
  readonly version: number
  /** Costs and limits in steps: a rule beyond them is unavailable. */
  readonly charges: Charges
}

/**
 * The semantics of new plans, recorded with every evaluation. The version rises when the same expression over the same evidence could
 * have another outcome; an evaluation is replayed with the version it was made with.
 */
export const currentSemantics: Semantics = Object.freeze({ version: 1, charges: measuredCharges })

export const semanticsVersion = currentSemantics.version

/** Every version that this release knows. */
export const semanticsVersions: readonly Semantics[] = Object.freeze([currentSemantics])

/** The semantics of plans and records of this version. Throws `unknown_semantics` for one that this release does not know. */
export function requireSemantics(version: number): Semantics {
  const semantics = semanticsVersions.find((known) => known.version === version)
  if (semantics) return semantics
  const known = semanticsVersions.map((one) => one.version).join(', ')
  const message = `This is of version ${version} of the meaning of rules; this release of Vigil knows ${known.replace(/, (?=\d+$)/, ' and ')}.`
  throw new Failure('unknown_semantics', message)
}
