/** The record of a plan before `FlowPlanRecorded`: one stream that holds the plan and every expression, read for as long as there are logs. */

import { createHash } from 'node:crypto'
import { canonicalPieces } from '../../domain/canonicalJson.ts'
import { newPace } from '../../domain/pace.ts'
import type { Expression } from '../../engine/language/expression.ts'
import type { Plan, PlannedPlace } from '../../engine/run/plan.ts'
import type { EvaluationEvent } from './evaluation.ts'
import { mapRules } from './mapRules.ts'

/** Levels of a plan down to its rules: account and plan, the plan, its recipes, a recipe, its rules. */
const levelsToRules = 5

/** The digest of an account's plan: SHA-256 over both in canonical JSON, base64url. */
export async function planDigest(account: string, plan: Plan): Promise<string> {
  const pace = newPace()
  const hash = createHash('sha256')
  for (const piece of canonicalPieces({ account, plan }, levelsToRules)) {
    hash.update(piece)
    await pace.done(piece.length)
  }
  return hash.digest('base64url')
}

/** The plan with the expressions that the events add up to. Throws when one is missing. */
export function planOf(
  { digest, plan }: { readonly digest: string; readonly plan: Plan<PlannedPlace> },
  events: readonly EvaluationEvent[],
): Plan {
  const expressions: (Expression | null)[] = []
  for (const event of events) {
    if (event.type === 'PlanExpressionsRecorded') expressions.push(...event.data.expressions)
  }
  let next = 0
  const whole = mapRules(plan, (rule) => {
    const expression = expressions[next]
    next += 1
    return expression ? { ...rule, expression } : rule
  })
  if (next !== expressions.length) throw new Error(`plan ${digest} is not complete`)
  return whole
}
