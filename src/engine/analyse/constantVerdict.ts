/** Analyses whether rules can or must trigger, and detects recipes whose verdict never changes. */

import { isConstant } from '../language/expression.ts'
import type { PlannedRule } from '../run/plan.ts'
import { clampScore } from '../run/runRecipe.ts'
import { findConstantOutcome } from './constantOutcome.ts'
import { detectImpossibleValues, type ImpossibleValue } from './impossibleValues.ts'

/** `never_flags`: no set of its rules can make it flag. `always_flags`: none can make it pass. */
export type ConstantVerdict = 'never_flags' | 'always_flags'

/**
 * Whether every evaluation of the recipe has the same verdict; undefined when both are possible. Rules that exclude each other are not
 * detected.
 */
export function findConstantVerdict(
  threshold: number,
  members: readonly RuleAnalysis[],
): ConstantVerdict | undefined {
  const running = untilDecided(members.filter(({ canTrigger: can }) => can))
  const summed = running.filter(({ rule }) => rule.preempts === undefined)
  const decides = (verdict: 'FLAG' | 'PASS') =>
    running.some(({ rule }) => rule.preempts === verdict)
  const most = sum(summed.map(({ rule }) => Math.max(0, rule.weight)))
  const least = sum(summed.map(leastOf))
  const last = running.at(-1)
  // a rule that always triggers and overrides leaves nothing to the score
  const decided = last?.mustTrigger === true ? last.rule.preempts : undefined
  const canFlag = decides('FLAG') || (!decided && clampScore(most) >= threshold)
  const canPass = decides('PASS') || (!decided && clampScore(least) < threshold)
  if (!canFlag) return 'never_flags'
  return canPass ? undefined : 'always_flags'
}

/** A rule, whether it can trigger, and whether it triggers in every evaluation that reaches it. */
export interface RuleAnalysis {
  readonly rule: Pick<PlannedRule, 'weight' | 'preempts'>
  readonly canTrigger: boolean
  readonly mustTrigger: boolean
  /** Its constant outcome; undefined when it has none. */
  readonly outcome: boolean | undefined
  readonly impossibleValues: readonly ImpossibleValue[]
}

/** The facts of a rule that decide the reach of its recipe. A rule without expression does not run. */
export function analyseRule({ expression, weight, preempts }: PlannedRule): RuleAnalysis {
  const outcome = expression && findConstantOutcome(expression)
  const must = expression !== undefined && outcome === true && isConstant(expression)
  const rule = { weight, ...(preempts && { preempts }) }
  const impossible = expression ? detectImpossibleValues(expression) : []
  return {
    rule,
    canTrigger: expression !== undefined && outcome !== false,
    mustTrigger: must,
    outcome,
    impossibleValues: impossible,
  }
}

/** The rules up to one that overrides in every evaluation: those after it are skipped. */
function untilDecided(members: readonly RuleAnalysis[]): readonly RuleAnalysis[] {
  const decisive = members.findIndex(
    ({ rule, mustTrigger: must }) => must && rule.preempts !== undefined,
  )
  return decisive === -1 ? members : members.slice(0, decisive + 1)
}

function leastOf({ rule: { weight }, mustTrigger: must }: RuleAnalysis): number {
  return must ? weight : Math.min(0, weight)
}

function sum(weights: readonly number[]): number {
  return weights.reduce((total, weight) => total + weight, 0)
}
