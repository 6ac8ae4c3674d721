/** A plan whose expressions are read one at a time: a large flow has megabytes of them. */

import { newPace, type Pace } from '../../domain/pace.ts'
import type { Expression } from '../../engine/language/expression.ts'
import type { Plan, PlannedPlace, PlannedRecipe, PlannedRule } from '../../engine/run/plan.ts'

/** Where the expression of a rule is; what it is found to be does not change when the rulebooks do. */
export interface ExpressionSource {
  /** About how many characters of JSON it is. */
  readonly chars: number
  /** Undefined when the rule cannot run here. */
  readonly read: () => Expression | undefined
}

/** A rule of an outline; without a source it cannot run here. */
export interface OutlinedRule extends PlannedPlace {
  readonly source?: ExpressionSource
}

export type OutlinedRecipe = PlannedRecipe<OutlinedRule>

/** The rule with its expression. */
export function readRule({ source, ...place }: OutlinedRule): PlannedRule {
  const expression = source?.read()
  return { ...place, ...(expression && { expression }) }
}

/** The plan with its expressions, others having their turns in between. */
export async function readOutline({ recipes, ...flow }: Plan<OutlinedRule>): Promise<Plan> {
  const pace = newPace()
  const read: PlannedRecipe[] = []
  for (const recipe of recipes) read.push(await readRecipe(recipe, pace))
  return { ...flow, recipes: read }
}

async function readRecipe(
  { rules, ...recipe }: OutlinedRecipe,
  pace: Pace,
): Promise<PlannedRecipe> {
  const read: PlannedRule[] = []
  for (const rule of rules) {
    read.push(readRule(rule))
    await pace.done(rule.source?.chars ?? 0)
  }
  return { ...recipe, rules: read }
}
