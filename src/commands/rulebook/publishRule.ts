/** Publishes and retires rules. */

import { Failure, invalidRequest, mustExist } from '../../domain/failure.ts'
import { ruleContent } from '../../events/rulebook/contents.ts'
import {
  type RulebookEvent,
  type RulebookState,
  type RuleContent,
  type RuleVersion,
  ruleOf,
} from '../../events/rulebook/rulebook.ts'
import { ruleListProblems } from './listRoom.ts'
import { rulePatternProblems } from './patternRoom.ts'
import { isSame, type Publishing } from './publishing.ts'

export interface PublishRuleInput extends RuleContent, Publishing {
  readonly ruleId: string
}

/**
 * The decision: every change is a new version (spec 2.6); the same content again is none. Throws `not_found`, `conflict`,
 * `invalid_request` when a recipe or a flow that runs the rule has no room for its patterns or for what it asks of lists.
 */
export function publishRule(input: PublishRuleInput) {
  return (state: RulebookState): readonly RulebookEvent[] => {
    const { ruleId: rule_id, versionId: version_id, mode } = input
    const current = state.rules.get(rule_id)?.current
    if (mode === 'replace') mustExist(current)
    const content = ruleContent(input)
    if (current && saysTheSame(current, content)) return []
    assertRuleRoom(state, rule_id, content)
    return [{ type: 'RulePublished', data: { rule_id, version_id, ...content } }]
  }
}

/** Throws `invalid_request` when a recipe or a flow that runs the rule has no room for the patterns of its new version, or for what it asks of lists. */
export function assertRuleRoom(state: RulebookState, ruleId: string, rule: RuleContent): void {
  const problems = [
    ...rulePatternProblems(state, ruleId, rule),
    ...ruleListProblems(state, ruleId, rule),
  ]
  if (problems.length > 0) throw invalidRequest(problems)
}

/** Told by the texts wherever they tell it: an expression may have a thousand nodes. */
function saysTheSame(current: RuleVersion, content: RuleContent): boolean {
  if (current.name !== content.name || current.text !== content.text) return false
  if (current.expression === JSON.stringify(content.expression)) return true
  return isSame(ruleContent(ruleOf(current)), content)
}

/** The decision: a rule that a recipe names stays (`rule_in_use`); one that is gone already is no error. Throws `not_found` for one that never was. */
export function retireRule(ruleId: string) {
  return (state: RulebookState): readonly RulebookEvent[] => {
    const entry = mustExist(state.rules.get(ruleId))
    if (!entry.current) return []
    if (entry.referrers.length > 0) {
      throw new Failure(
        'rule_in_use',
        'The rule is still referenced and cannot be deleted; details names the recipes.',
        { details: entry.referrers.map((message) => ({ path: 'id', message })) },
      )
    }
    return [{ type: 'RuleRetired', data: { rule_id: ruleId } }]
  }
}
