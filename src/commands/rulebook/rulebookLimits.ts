/** How large a rulebook may grow. */

import { Failure } from '../../domain/failure.ts'
import type { RecipeContent, RulebookState } from '../../events/rulebook/rulebook.ts'

/** Things ever made, retired ones included. */
const limits = Object.freeze({ rules: 500_000, recipes: 100_000, flows: 100_000 })

/** Managed rules or recipes ever made; they are held whole by every instance. */
const managedMax = 1_000

/** Rules of one managed recipe. */
const managedRecipeRulesMax = 100

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

/** Rules that a recipe may run: one that extends a managed recipe counts as if that had all it may ever have. */
export function ruleCount(recipe: Pick<RecipeContent, 'rules' | 'base_recipe_id'>): number {
  return recipe.rules.length + (recipe.base_recipe_id === undefined ? 0 : managedRecipeRulesMax)
}

/** Counts the rules of the recipes; `sizes` overrides the count of a recipe that is about to change. */
export function tooLarge(
  state: RulebookState,
  recipes: readonly string[],
  sizes: ReadonlyMap<string, number> = new Map(),
): boolean {
  const sizeOf = (id: string): number => {
    const recipe = state.recipes.get(id)?.current
    return sizes.get(id) ?? (recipe ? ruleCount(recipe) : 0)
  }
  return recipes.reduce((sum, id) => sum + sizeOf(id), 0) > flowRulesMax
}
