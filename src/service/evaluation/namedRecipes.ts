/** Results of recipes with what recipes and managed rules are called: for people, and no part of the answer of an evaluation. */

import type { Plan, PlannedRecipe } from '../../engine/run/plan.ts'
import type { RuleResult } from '../../engine/run/result.ts'
import type { Names } from './namesIn.ts'

interface Recipe {
  readonly recipe_id: string
  readonly rules: readonly Pick<RuleResult, 'rule_id' | 'type'>[]
}

/** The results of recipes of the plan, each with its name, each managed rule with its description, as they were in the plan's versions. */
export function namedRecipes(
  recipes: readonly Recipe[],
  plan: Plan,
  names: Names,
): readonly object[] {
  const planned = new Map(plan.recipes.map((recipe) => [recipe.recipe_id, recipe]))
  return recipes.map(({ recipe_id, rules, ...rest }) => {
    const recipe = planned.get(recipe_id)
    const name = names.recipe(recipe_id, recipe?.version_id)
    return {
      recipe_id,
      ...(name !== undefined && { name }),
      ...rest,
      rules: namedRules(rules, recipe, names),
    }
  })
}

function namedRules(
  rules: Recipe['rules'],
  recipe: PlannedRecipe | undefined,
  names: Names,
): readonly object[] {
  const versions = new Map(recipe?.rules.map(({ rule_id, version_id }) => [rule_id, version_id]))
  return rules.map(({ rule_id, type, ...rest }) => {
    const described = type === 'MANAGED' && names.managedRule(rule_id, versions.get(rule_id))
    return { rule_id, type, ...(described && { description: described }), ...rest }
  })
}
