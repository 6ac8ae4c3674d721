/** Results of recipes with what recipes and managed rules are called: for people, and no part of the answer of an evaluation. */

import type { Plan, PlannedRecipe } from '../../engine/run/plan.ts'
import type { RecipeResult, RuleResult } from '../../engine/run/result.ts'
import type { Described, Named } from './evaluationView.ts'
import type { Names } from './namesIn.ts'

/** The results of recipes of the plan, each with its name, each managed rule with its description, as they were in the plan's versions. */
export function namedRecipes<Recipe extends RecipeResult>(
  recipes: readonly Recipe[],
  plan: Plan,
  names: Names,
): readonly Named<Recipe>[] {
  const planned = new Map(plan.recipes.map((recipe) => [recipe.recipe_id, recipe]))
  return recipes.map(({ recipe_id, rules, ...rest }) => {
    const recipe = planned.get(recipe_id)
    const name = names.recipe(recipe_id, recipe?.version_id)
    return {
      recipe_id,
      ...(name !== undefined && { name }),
      ...rest,
      rules: namedRules<Recipe['rules'][number]>(rules, recipe, names),
    }
  })
}

function namedRules<Rule extends RuleResult>(
  rules: readonly Rule[],
  recipe: PlannedRecipe | undefined,
  names: Names,
): readonly Described<Rule>[] {
  const versions = new Map(recipe?.rules.map(({ rule_id, version_id }) => [rule_id, version_id]))
  return rules.map(({ rule_id, type, ...rest }) => {
    const described = type === 'MANAGED' && names.managedRule(rule_id, versions.get(rule_id))
    return { rule_id, type, ...(described && { description: described }), ...rest }
  })
}
