/** Cuts a rule to what its account may see: of a managed one neither name nor content. */

import { readAskedCall } from '../language/askedCalls.ts'
import { readCounter } from '../language/counters.ts'
import { type Expression, visitNodes } from '../language/expression.ts'
import type { PlannedRule, PlannedRuleInfo } from './plan.ts'

/** What a managed rule reports in place of the name that did not arrive (spec 2.6). */
export const missingData = 'missing_data'

/** What an account sees of a managed rule: neither its name nor what it reads or compares. */
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

/** The names that an account's own rules say, each with its index in their order. */
export type ShownNames = ReadonlyMap<string, number>

function listSaidNames(node: Expression): readonly string[] {
  if (node.kind === 'read' || node.kind === 'has') return [node.name]
  const counter = readCounter(node)
  if (counter) return [counter.name, ...(counter.series.measured ? [counter.series.measured] : [])]
  const asked = readAskedCall(node)
  return asked ? [asked.name] : []
}

/**
 * Adds the names that the rule reads, measures or asks for with `has`, and its calls whose answers are evidence, in the
 * order of its text; of a managed one none.
 */
export function addShownNames(names: Map<string, number>, rule: PlannedRule): void {
  const { expression } = showRule(rule)
  if (!expression) return
  visitNodes(expression, (node) => {
    for (const name of listSaidNames(node)) if (!names.has(name)) names.set(name, names.size)
  })
}
