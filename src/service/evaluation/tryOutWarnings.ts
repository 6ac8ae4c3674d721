/** What authors are warned of in what they try. */

import { isDraftId } from '../../commands/evaluation/draftFlow.ts'
import type { Warning } from '../../domain/warning.ts'
import type { Plan, PlannedRule } from '../../engine/run/plan.ts'
import { flowWarnings, recipeWarnings, ruleWarnings } from '../rulebook/warnings.ts'

/**
 * Of a flow as it would run: its recipes, and the rules that stand in the draft only, whose ids are their places in the request. A
 * recipe that is not of the draft is named by its id.
 */
export function planWarnings({ recipes }: Plan): readonly Warning[] {
  return [
    ...flowWarnings(recipes.map(({ status }) => status)),
    ...recipes.flatMap((recipe) => [
      ...below(recipe.recipe_id, recipeWarnings(recipe)),
      ...recipe.rules.filter(({ rule_id }) => isDraftId(rule_id)).flatMap(draftWarnings),
    ]),
  ]
}

function draftWarnings({ rule_id, expression }: PlannedRule): readonly Warning[] {
  return expression ? below(rule_id, ruleWarnings(expression)) : []
}

function below(path: string, warnings: readonly Warning[]): readonly Warning[] {
  return warnings.map((warning) => ({ ...warning, path: `${path}.${warning.path}` }))
}
