/** What authors are warned of in what they try. */

import { isDraftId } from '../../commands/evaluation/draftFlow.ts'
import type { OutlinedRule } from '../../commands/evaluation/outline.ts'
import { newPace } from '../../domain/pace.ts'
import type { Warning } from '../../domain/warning.ts'
import type { Plan } from '../../engine/run/plan.ts'
import { flowWarnings, recipeWarnings, ruleUnits, ruleWarnings } from '../rulebook/warnings.ts'

/**
 * Of a flow as it would run: its recipes, and the rules that stand in the draft only, whose ids are their places in the request. A
 * recipe that is not of the draft is named by its id.
 */
export async function planWarnings({ recipes }: Plan<OutlinedRule>): Promise<readonly Warning[]> {
  const pace = newPace()
  const warnings = [...flowWarnings(recipes.map(({ status }) => status))]
  for (const recipe of recipes) {
    warnings.push(...below(recipe.recipe_id, await recipeWarnings(recipe, pace)))
    for (const rule of recipe.rules.filter(({ rule_id }) => isDraftId(rule_id))) {
      warnings.push(...draftWarnings(rule))
      await pace.done(ruleUnits + (rule.source?.chars ?? 0))
    }
  }
  return warnings
}

function draftWarnings({ rule_id, source }: OutlinedRule): readonly Warning[] {
  const expression = source?.read()
  return expression ? below(rule_id, ruleWarnings(expression)) : []
}

function below(path: string, warnings: readonly Warning[]): readonly Warning[] {
  return warnings.map((warning) => ({ ...warning, path: `${path}.${warning.path}` }))
}
