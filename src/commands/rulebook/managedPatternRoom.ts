/** Whether the patterns of the rules of a managed recipe stay within what may be compiled and held for them. */

import { patternsSize } from '../../engine/language/patternSizes.ts'
import {
  inForce,
  type ManagedMembership,
  type ManagedRulebook,
  type ManagedRuleContent,
} from '../../events/rulebook/managedRulebook.ts'
import { recipePatternsProblem } from './patternRoom.ts'

/** A version of a managed rule that is about to be the current one. */
interface NewRule {
  readonly ruleId: string
  readonly rule: Pick<ManagedRuleContent, 'expression'>
}

/** What is wrong with the patterns of these rules together, the new one among them where it is named. */
export function managedPatternProblems(
  state: ManagedRulebook,
  rules: readonly ManagedMembership[],
  made?: NewRule,
): readonly string[] {
  const size = rules.reduce((sum, { rule_id }) => {
    const rule = rule_id === made?.ruleId ? made.rule : inForce(state.rules, rule_id)
    return sum + (rule ? patternsSize(rule.expression) : 0)
  }, 0)
  return recipePatternsProblem(size)
}
