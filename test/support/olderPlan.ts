import type { Plan } from '../../src/engine/run/plan.ts'
import type { EvaluationEvent } from '../../src/events/evaluation/evaluation.ts'
import { mapRules } from '../../src/events/evaluation/mapRules.ts'

/** Characters of expressions in one event. */
const chunkChars = 256 * 1024

/** The events of a plan's stream as they were written before `FlowPlanRecorded`: the plan, then the expressions in pieces. */
export function olderPlanEvents(digest: string, plan: Plan): readonly EvaluationEvent[] {
  const head: EvaluationEvent = {
    type: 'PlanRecorded',
    data: { digest, plan: mapRules(plan, ({ expression: _, ...rule }) => rule) },
  }
  return [head, ...expressionEvents(digest, plan)]
}

function expressionEvents(digest: string, plan: Plan): readonly EvaluationEvent[] {
  const all = plan.recipes.flatMap((recipe) => recipe.rules.map((rule) => rule.expression ?? null))
  const events: EvaluationEvent[] = []
  let first = 0
  let chars = 0
  const cut = (end: number): void => {
    const expressions = all.slice(first, end)
    events.push({ type: 'PlanExpressionsRecorded', data: { digest, first, expressions } })
    first = end
    chars = 0
  }
  for (const [index, expression] of all.entries()) {
    chars += JSON.stringify(expression).length
    if (chars >= chunkChars) cut(index + 1)
  }
  if (first < all.length) cut(all.length)
  return events
}
