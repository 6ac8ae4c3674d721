/** Whether a flow would hold more rules than one evaluation may run. */

import type { RecipeContent, RulebookState } from '../../events/rulebook/rulebook.ts'
import { flowRulesMax, managedRecipeRulesMax } from './rulebookLimits.ts'

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
