/** The versions of the meaning of rules, and in what they differ. */

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
}

/**
 * What new plans are made with, recorded with every evaluation. Rises when the same expression over the same evidence could give
 * another outcome than before; an evaluation is replayed with the meaning it was made with.
 */
export const semanticsVersion = 2

/** Every version that this release knows. */
export const semanticsVersions: readonly Semantics[] = Object.freeze([
  Object.freeze({ version: 1, guards: false, exactSums: false }),
  Object.freeze({ version: semanticsVersion, guards: true, exactSums: true }),
])
