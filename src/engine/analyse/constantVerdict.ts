/** Analyses whether rules can or must trigger, and detects recipes whose verdict never changes. */

import { isConstant } from '../language/expression.ts'
import type { PlannedRule } from '../run/plan.ts'
import { clampScore } from '../run/result.ts'
import { findConstantOutcome } from './constantOutcome.ts'
import { detectImpossibleValues, type ImpossibleValue } from './impossibleValues.ts'

/** `never_flags`: no set of its rules can make it flag. `always_flags`: none can make it pass. */
export type ConstantVerdict = 'never_flags' | 'always_flags'

/**
 * Whether every evaluation of the recipe has the same verdict; undefined when both are possible. Rules that exclude
 * each other are not detected.
 */
export function findConstantVerdict(
  threshold: number,
  members: readonly RuleAnalysis[],
): ConstantVerdict | undefined {
  const able = members.filter(({ canTrigger }) => canTrigger)
  const decisive = able.findIndex(({ mustTrigger, preempts }) => mustTrigger && preempts)
  // a rule that always triggers and overrides leaves nothing to those after it, and nothing to the score
  const isDecided = decisive !== -1
  const running = isDecided ? able.slice(0, decisive + 1) : able
  const summed = running.filter(({ preempts }) => preempts === undefined)
  const most = sum(summed.map(({ weight }) => Math.max(0, weight)))
  const least = sum(summed.map((one) => (one.mustTrigger ? one.weight : Math.min(0, one.weight))))
  const decides = (verdict: 'FLAG' | 'PASS') => running.some((one) => one.preempts === verdict)
  const canFlag = decides('FLAG') || (!isDecided && clampScore(most) >= threshold)
  const canPass = decides('PASS') || (!isDecided && clampScore(least) < threshold)
  if (!canFlag) return 'never_flags'
  return canPass ? undefined : 'always_flags'
}

/** A rule, whether it can trigger, and whether it triggers in every evaluation that reaches it. */
export interface RuleAnalysis extends Pick<PlannedRule, 'weight' | 'preempts'> {
  readonly canTrigger: boolean
  readonly mustTrigger: boolean
  /** Its constant outcome; undefined when it has none. */
  readonly outcome: boolean | undefined
  readonly impossibleValues: readonly ImpossibleValue[]
}

/** The facts of a rule that decide the reach of its recipe. A rule without expression does not run. */
export function analyseRule({ expression, weight, preempts }: PlannedRule): RuleAnalysis {
  const outcome = expression && findConstantOutcome(expression)
  return {
    weight,
    ...(preempts && { preempts }),
    canTrigger: expression !== undefined && outcome !== false,
    mustTrigger: expression !== undefined && outcome === true && isConstant(expression),
    outcome,
    impossibleValues: expression ? detectImpossibleValues(expression) : [],
  }
}

function sum(weights: readonly number[]): number {
  return weights.reduce((total, weight) => total + weight, 0)
}
