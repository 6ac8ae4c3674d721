/** Declares the names that a rule was not evaluated for, each with the reason (design 5.3). */

/**
 * `absent`: it did not arrive. `not_convertible`: it arrived, and is not what the rule converts it to.
 * `function_failed`: a part of the rule that reads it failed on what arrived.
 */
export const missingReasons = ['absent', 'not_convertible', 'function_failed'] as const
export type MissingReason = (typeof missingReasons)[number]

/** A name that a rule was not evaluated for. */
export interface MissingName {
  readonly name: string
  readonly reason: MissingReason
}
