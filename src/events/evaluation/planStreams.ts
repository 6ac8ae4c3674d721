/** Splits recorded plans into parts of 32 rules; computes digests and stream names, maps rules. */

import { hash } from 'node:crypto'
import { canonicalJson } from '../../domain/text/canonicalJson.ts'
import type { Expression } from '../../engine/language/expression.ts'
import type { Plan } from '../../engine/run/plan.ts'
import type { PinnedPlan, PinnedRule } from './evaluationEvents.ts'

/**
 * Rules in one chunk. A changed rule makes a new chunk, and a plan that names all chunks: about the square root of the rules of a large
 * flow makes both small.
 */
export const rulesPerChunk = 32

/** The digest of an account's expression: SHA-256 over both in canonical JSON, base64url. */
export function computeExpressionDigest(account: string, expression: Expression): string {
  return computeDigest({ account, expression })
}

/** The digest of a chunk of rules of an account's plans. */
export function computeRulesDigest(account: string, rules: readonly PinnedRule[]): string {
  return computeDigest({ account, rules })
}

/** The digest of an account's plan, and through it of everything that it names. */
export function computePlanDigest(account: string, plan: PinnedPlan): string {
  return computeDigest({ account, plan })
}

/** The stream of an expression: of its one event. */
export function expressionStream(digest: string): string {
  return `expression-${digest}`
}

/** The stream of a chunk of rules: of its one event. */
export function rulesStream(digest: string): string {
  return `plan_rules-${digest}`
}

/** The stream of a plan: of its one event. */
export function planStream(digest: string): string {
  return `plan-${digest}`
}

function computeDigest(value: object): string {
  return hash('sha256', canonicalJson(value), 'base64url')
}

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
