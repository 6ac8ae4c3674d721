/** What authors are warned of in what they try. */

import { isDraftId } from '../../commands/evaluation/draftFlow.ts'
import type { OutlinedRule } from '../../commands/evaluation/outline.ts'
import { newPace } from '../../domain/pace.ts'
import type { Warning } from '../../domain/warning.ts'
import type { Plan } from '../../engine/run/plan.ts'
import { flowWarnings, lookedAt, outcomeWarnings, reachWarnings } from '../rulebook/warnings.ts'

/**
 * Of a flow as it would run: its recipes, and the rules that stand in the draft only, whose ids are their places in the request. A
 * recipe that is not of the draft is named by its id.
 */
export async function planWarnings({ recipes }: Plan<OutlinedRule>): Promise<readonly Warning[]> {
  const pace = newPace()
  const warnings = [...flowWarnings(recipes.map(({ status }) => status))]
  for (const { recipe_id, threshold, rules } of recipes) {
    const members = await lookedAt(rules, pace)
    warnings.push(...below(recipe_id, reachWarnings(threshold, members)))
    for (const [index, { rule_id }] of rules.entries()) {
      if (!isDraftId(rule_id)) continue
      warnings.push(...below(rule_id, outcomeWarnings(members[index]?.outcome)))
    }
  }
  return warnings
}

function below(path: string, warnings: readonly Warning[]): readonly Warning[] {
  return warnings.map((warning) => ({ ...warning, path: `${path}.${warning.path}` }))
}
