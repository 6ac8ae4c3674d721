/** Detects recipes whose verdict never changes (`recipe_always_flags`, `recipe_never_flags`). */

import { isConstant } from '../language/expression.ts'
import type { PlannedRule } from '../run/plan.ts'
import { clampScore } from '../run/runRecipe.ts'
import { constantOutcome } from './constantOutcome.ts'
import { type ImpossibleValue, impossibleValues } from './impossibleValues.ts'

/** `never_flags`: no set of its rules can make it flag. `always_flags`: none can make it pass. */
export type ConstantVerdict = 'never_flags' | 'always_flags'

/**
 * Whether every evaluation of the recipe has the same verdict; undefined when both are possible. Rules that exclude each other are not
 * detected.
 */
export function constantVerdict(
  threshold: number,
  members: readonly RuleReach[],
): ConstantVerdict | undefined {
  const running = untilDecided(members.filter(({ can }) => can))
  const summed = running.filter(({ rule }) => rule.preempts === undefined)
  const decides = (verdict: 'FLAG' | 'PASS') =>
    running.some(({ rule }) => rule.preempts === verdict)
  const most = sum(summed.map(({ rule }) => Math.max(0, rule.weight)))
  const least = sum(summed.map(leastOf))
  const last = running.at(-1)
  // a rule that always triggers and overrides leaves nothing to the score
  const decided = last?.must === true ? last.rule.preempts : undefined
  const canFlag = decides('FLAG') || (!decided && clampScore(most) >= threshold)
  const canPass = decides('PASS') || (!decided && clampScore(least) < threshold)
  if (!canFlag) return 'never_flags'
  return canPass ? undefined : 'always_flags'
}

/** A rule, whether it can trigger, and whether it triggers in every evaluation that reaches it. */
export interface RuleReach {
  readonly rule: Pick<PlannedRule, 'weight' | 'preempts'>
  readonly can: boolean
  readonly must: boolean
  /** Its constant outcome; undefined when it has none. */
  readonly outcome: boolean | undefined
  readonly impossible: readonly ImpossibleValue[]
}

/** The facts of a rule that decide the reach of its recipe. A rule without expression does not run. */
export function ruleReach({ expression, weight, preempts }: PlannedRule): RuleReach {
  const outcome = expression && constantOutcome(expression)
  const must = expression !== undefined && outcome === true && isConstant(expression)
  const rule = { weight, ...(preempts && { preempts }) }
  const impossible = expression ? impossibleValues(expression) : []
  return { rule, can: expression !== undefined && outcome !== false, must, outcome, impossible }
}

/** The rules up to one that overrides in every evaluation: those after it are skipped. */
function untilDecided(members: readonly RuleReach[]): readonly RuleReach[] {
  const decisive = members.findIndex(({ rule, must }) => must && rule.preempts !== undefined)
  return decisive === -1 ? members : members.slice(0, decisive + 1)
}

function leastOf({ rule: { weight }, must }: RuleReach): number {
  return must ? weight : Math.min(0, weight)
}

function sum(weights: readonly number[]): number {
  return weights.reduce((total, weight) => total + weight, 0)
}
