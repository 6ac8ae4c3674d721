/** Lists the versions of the meaning of rules; refuses plans of other versions. */

import { Failure } from '../../domain/failure.ts'

/**
 * The version of new plans, recorded with every evaluation. It rises when the same expression over the same evidence
 * could have another outcome; an evaluation is replayed with the version it was made with.
 */
export const semanticsVersion = 1

/** Every version that this release knows. */
export const semanticsVersions: readonly number[] = Object.freeze([semanticsVersion])

/** Throws `unknown_semantics` for a version of plans and records that this release does not know. */
export function requireSemantics(version: number): void {
  if (semanticsVersions.includes(version)) return
  const known = semanticsVersions.join(', ').replace(/, (?=\d+$)/, ' and ')
  const message = `This is of version ${version} of the meaning of rules; this release of Vigil knows ${known}.`
  throw new Failure('unknown_semantics', message)
}
