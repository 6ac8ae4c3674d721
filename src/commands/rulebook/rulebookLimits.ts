/** Limits how many rules, recipes and flows there may be, and how many rules a flow runs. */

import { Failure } from '../../domain/failure.ts'
import type { RecipeContent, RulebookSize, RulebookState } from '../../events/rulebook/rulebook.ts'

export type LimitedResource = 'rules' | 'recipes' | 'flows' | keyof RulebookSize

/** Limits of one account: resources ever made, retired ones included, and the contents of those in force. */
export const rulebookLimits: Readonly<Record<LimitedResource, number>> = Object.freeze({
  rules: 50_000,
  recipes: 10_000,
  flows: 10_000,
  memberships: 500_000,
  text: 16_000_000,
  /** A text may become thirty times as long: these are four times the texts. */
  compiled: 64_000_000,
})

/** Managed rules or recipes ever made; every instance has all of them in memory. */
const managedMax = 1_000

/** Rules of one managed recipe. */
const managedRecipeRulesMax = 100

/** Rules over all recipes of one flow: what one evaluation may cost and one plan may weigh. */
export const flowRulesMax = 2_000

/** Throws `conflict` when no more managed rules or recipes may be made. */
export function assertManagedLimit(count: number): void {
  if (count < managedMax) return
  throw new Failure(
    'conflict',
    `There is room for ${managedMax} managed rules, and as many recipes.`,
  )
}

/** Rules that a recipe may run: one that extends a managed recipe counts as if that had all it may ever have. */
export function countRules(recipe: Pick<RecipeContent, 'rules' | 'base_recipe_id'>): number {
  return recipe.rules.length + (recipe.base_recipe_id === undefined ? 0 : managedRecipeRulesMax)
}

/** Counts the rules of the recipes; `sizes` overrides the count of a recipe that is about to change. */
export function exceedsFlowRules(
  state: RulebookState,
  recipes: readonly string[],
  sizes: ReadonlyMap<string, number> = new Map(),
): boolean {
  const sizeOf = (id: string): number => {
    const recipe = state.recipes.get(id)?.current
    return sizes.get(id) ?? (recipe ? countRules(recipe) : 0)
  }
  return recipes.reduce((sum, id) => sum + sizeOf(id), 0) > flowRulesMax
}

/** The ids of the flows that name one of the recipes, each once, however many of them it names. */
export function flowsNaming(
  { recipes }: Pick<RulebookState, 'recipes'>,
  ids: Iterable<string>,
): ReadonlySet<string> {
  const flows = new Set<string>()
  for (const id of ids) for (const flow of recipes.get(id)?.referrers ?? []) flows.add(flow)
  return flows
}
