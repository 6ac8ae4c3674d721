/** Divides plans into what is recorded of them: expressions, and chunks of 32 rules, by digest. */

import type { Steps } from '../../domain/load/steps.ts'
import type { Expression } from '../../engine/language/expression.ts'
import type { Plan, PlannedRule } from '../../engine/run/plan.ts'
import type {
  PinnedPlan,
  PinnedRecipe,
  PinnedRule,
  PinnedRuleChunk,
} from '../../events/evaluation/evaluationEvents.ts'
import { computePlanDigest } from '../../events/evaluation/planStreams.ts'

export interface PlanToRecord {
  readonly digest: string
  readonly plan: PinnedPlan
  /** By their digests, each once. */
  readonly parts: ReadonlyMap<string, readonly PinnedRule[]>
  readonly expressions: ReadonlyMap<string, Expression>
}

/**
 * Rules in one chunk. A changed rule makes a new chunk, and a plan that names all chunks: about the square root of the
 * rules of a large flow makes both small.
 */
const rulesPerChunk = 32

/** Divides the account's plan into what is recorded of it, one rule at each step. */
export function* pinPlan(account: string, { recipes, ...flow }: Plan): Steps<PlanToRecord> {
  const parts = new Map<string, readonly PinnedRule[]>()
  const expressions = new Map<string, Expression>()
  const pinned: PinnedRecipe[] = []
  for (const { rules, ...recipe } of recipes) {
    const chunks: PinnedRuleChunk[] = []
    for (let first = 0; first < rules.length; first += rulesPerChunk) {
      const chunk: PinnedRule[] = []
      for (const rule of rules.slice(first, first + rulesPerChunk)) {
        const { expression, ...place } = rule
        const digest = digestExpression(account, rule)
        if (expression && digest) expressions.set(digest, expression)
        chunk.push({ ...place, ...(digest && { expression: digest }) })
        yield
      }
      const digest = computePlanDigest(account, { rules: chunk })
      parts.set(digest, chunk)
      chunks.push([digest, chunk.length])
    }
    pinned.push({ ...recipe, parts: chunks })
  }
  const plan = { ...flow, recipes: pinned }
  return { digest: computePlanDigest(account, { plan }), plan, parts, expressions }
}

function digestExpression(account: string, rule: PlannedRule): string | undefined {
  const { type, version_id, expression } = rule
  const salt = type === 'MANAGED' && { version_id }
  return expression && computePlanDigest(account, { expression, ...salt })
}
