/** The record of a plan: written once, before the first evaluation that runs it, so that a replay needs nothing else. */

import { createHash } from 'node:crypto'
import { canonicalJson } from '../../domain/canonicalJson.ts'
import type { Expression } from '../../engine/language/expression.ts'
import type { Plan, PlannedRule } from '../../engine/run/plan.ts'
import type { EvaluationEvent } from './evaluation.ts'

/** Characters of expressions in one event, far below what one append may weigh. */
const chunkChars = 256 * 1024

/** The digest of an account's plan: SHA-256 over both in canonical JSON, base64url. */
export function planDigest(account: string, plan: Plan): string {
  return createHash('sha256').update(canonicalJson({ account, plan })).digest('base64url')
}

/** The stream of a plan. */
export function planStream(digest: string): string {
  return `plan-${digest}`
}

/** The events of a plan's stream: the plan without expressions, then the expressions in bounded pieces. */
export function planEvents(digest: string, plan: Plan): readonly EvaluationEvent[] {
  const head: EvaluationEvent = {
    type: 'PlanRecorded',
    data: { digest, plan: mapRules(plan, withoutExpression) },
  }
  return [head, ...expressionEvents(digest, plan)]
}

/** The plan that the events of its stream add up to. Throws when one is missing. */
export function planOf(events: readonly EvaluationEvent[]): Plan {
  const [head, ...rest] = events
  if (head?.type !== 'PlanRecorded') throw new Error('a plan stream does not begin with its plan')
  const expressions: (Expression | null)[] = []
  for (const event of rest) {
    if (event.type === 'PlanExpressionsRecorded') expressions.push(...event.data.expressions)
  }
  let next = 0
  const plan = mapRules(head.data.plan, (rule) => {
    const expression = expressions[next]
    next += 1
    return expression ? { ...rule, expression } : rule
  })
  if (next !== expressions.length) throw new Error(`plan ${head.data.digest} is not complete`)
  return plan
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

function withoutExpression({ expression: _, ...rule }: PlannedRule): PlannedRule {
  return rule
}

function mapRules(plan: Plan, change: (rule: PlannedRule) => PlannedRule): Plan {
  return {
    ...plan,
    recipes: plan.recipes.map((recipe) => ({ ...recipe, rules: recipe.rules.map(change) })),
  }
}
