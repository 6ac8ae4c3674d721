/** A plan whose expressions are read one at a time: a large flow has megabytes of them. */

import { pause } from '../../domain/longWork.ts'
import type { Expression } from '../../engine/language/expression.ts'
import type { Plan, PlannedPlace, PlannedRecipe, PlannedRule } from '../../engine/run/plan.ts'

/** A rule of an outline. */
export interface OutlinedRule extends PlannedPlace {
  /** Its expression, undefined when the rule cannot run here; what it is found to be does not change when the rulebooks do. */
  readonly read?: () => Expression | undefined
}

export type OutlinedRecipe = PlannedRecipe<OutlinedRule>

/** The rule with its expression. */
export function readRule({ read, ...place }: OutlinedRule): PlannedRule {
  const expression = read?.()
  return { ...place, ...(expression && { expression }) }
}

/** The plan with its expressions: long work. */
export async function readOutline({ recipes, ...flow }: Plan<OutlinedRule>): Promise<Plan> {
  const read: PlannedRecipe[] = []
  for (const recipe of recipes) read.push(await readRecipe(recipe))
  return { ...flow, recipes: read }
}

async function readRecipe({ rules, ...recipe }: OutlinedRecipe): Promise<PlannedRecipe> {
  const read: PlannedRule[] = []
  for (const rule of rules) {
    read.push(readRule(rule))
    await pause()
  }
  return { ...recipe, rules: read }
}
