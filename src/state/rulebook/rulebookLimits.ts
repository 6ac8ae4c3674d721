/** Limits how many rules, recipes and flows there may be, and how much they come to together. */

import { Failure } from '../../domain/failure.ts'
import type { RulebookSize } from '../../events/rulebook/rulebook.ts'

export type LimitedResource = 'rules' | 'recipes' | 'flows' | 'counters' | keyof RulebookSize

/** Limits of one account: resources ever made, retired ones included, and the contents of those in force. */
export const rulebookLimits: Readonly<Record<LimitedResource, number>> = Object.freeze({
  rules: 50_000,
  recipes: 10_000,
  flows: 10_000,
  memberships: 500_000,
  text: 16_000_000,
  /** A text may become thirty times as long: these are four times the texts. */
  compiled: 64_000_000,
  /** Series of counters: every evaluation counts for each. */
  counters: 16,
})

/** Managed rules or recipes ever made; every instance has all of them in memory. */
const managedMax = 1_000

/** Throws `conflict` when no more managed rules or recipes may be made. */
export function assertManagedLimit(count: number): void {
  if (count < managedMax) return
  const message = `There may be at most ${managedMax} managed rules, and as many recipes.`
  throw new Failure('conflict', message)
}
