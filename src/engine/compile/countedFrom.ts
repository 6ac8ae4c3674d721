/** Which rules of a plan have their steps counted while they run. */

import type { Charges } from '../language/charges/charge.ts'
import type { CompiledRule } from './compileRule.ts'

/** The steps beyond which a rule is counted, so that all that are not stay together within what is set aside for them. */
export function countedFrom(
  rules: readonly Pick<CompiledRule, 'counted' | 'steps'>[],
  { ruleSteps, uncountedSteps }: Charges,
): number {
  const steps = rules.filter(({ counted }) => !counted).map((rule) => rule.steps)
  if (steps.reduce((sum, one) => sum + one, 0) <= uncountedSteps) return ruleSteps
  return cheapest(steps, uncountedSteps)
}

/** The most steps a rule may take so that all that take no more stay together within the sum; of rules alike, all or none. */
function cheapest(steps: readonly number[], sum: number): number {
  const sorted = steps.toSorted((a, b) => a - b)
  let total = 0
  const over = sorted.findIndex((one) => {
    total += one
    return total > sum
  })
  return sorted.findLast((one) => one < (sorted[over] ?? 0)) ?? 0
}
