/** Cuts a rule to what its account may see: of a managed one neither name nor content. */

import type { PlannedRuleInfo } from './plan.ts'

/** What a managed rule reports in place of the name that did not arrive (spec 2.6). */
export const missingData = 'missing_data'

/** What an account sees of a managed rule: what the recipe says of it, and nothing that it is called, reads or compares. */
type ShownRule<Rule extends PlannedRuleInfo> = Pick<Rule, 'rule_id' | 'type' | 'weight'> &
  Partial<Rule>

/** The rule as its account sees it: every answer and every view of an event that shows one goes through here. */
export function showRule<Rule extends PlannedRuleInfo>(rule: Rule): ShownRule<Rule> {
  if (rule.type === 'CUSTOM') return rule
  const { rule_id, type, weight, preempts } = rule
  const shown: ShownRule<PlannedRuleInfo> = { rule_id, type, weight, ...(preempts && { preempts }) }
  return shown as ShownRule<Rule>
}

/** The name that the rule waits for, as its account is told and the log says. */
export function showBlockedBy({ type }: Pick<PlannedRuleInfo, 'type'>, name: string): string {
  return type === 'CUSTOM' ? name : missingData
}
