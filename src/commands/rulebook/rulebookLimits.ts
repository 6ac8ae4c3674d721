/** How large a rulebook may grow. */

import { Failure } from '../../domain/failure.ts'

/** Things ever made, retired ones included. */
const limits = Object.freeze({ rules: 500_000, recipes: 100_000, flows: 100_000 })

/** Managed rules or recipes ever made; they are held whole by every instance. */
const managedMax = 1_000

/** Rules of one managed recipe. */
export const managedRecipeRulesMax = 100

/** Rules over all recipes of one flow: what one evaluation may cost and one plan may weigh. */
export const flowRulesMax = 2_000

/** Throws `conflict` when an account may make no more of them. */
export function assertRoom(kind: keyof typeof limits, count: number): void {
  if (count < limits[kind]) return
  throw new Failure('conflict', `An account has room for ${limits[kind]} ${kind}.`)
}

/** Throws `conflict` when no more managed rules or recipes may be made. */
export function assertManagedRoom(count: number): void {
  if (count < managedMax) return
  throw new Failure(
    'conflict',
    `There is room for ${managedMax} managed rules, and as many recipes.`,
  )
}
