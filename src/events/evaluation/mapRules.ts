/** A plan with other rules in the places of its rules. */

import type { Plan } from '../../engine/run/plan.ts'

/** The plan with each rule changed, in the plan's order. */
export function mapRules<Rule, Changed>(
  plan: Plan<Rule>,
  change: (rule: Rule) => Changed,
): Plan<Changed> {
  return {
    ...plan,
    recipes: plan.recipes.map((recipe) => ({ ...recipe, rules: recipe.rules.map(change) })),
  }
}
