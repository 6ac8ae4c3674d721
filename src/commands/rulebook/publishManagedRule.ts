/** Publishes and retires managed rules. */

import { Failure, invalidRequest, mustExist } from '../../domain/failure.ts'
import { managedRuleContent } from '../../events/rulebook/contents.ts'
import {
  inForce,
  type ManagedEvent,
  type ManagedRulebook,
  type ManagedRuleContent,
} from '../../events/rulebook/managedRulebook.ts'
import { managedPatternProblems } from './managedPatternRoom.ts'
import { isSame, type Publishing } from './publishing.ts'
import { assertManagedRoom } from './rulebookLimits.ts'

export interface PublishManagedRuleInput extends ManagedRuleContent, Publishing {
  readonly ruleId: string
}

/**
 * The decision: every change is a new version, which the recipes that name the rule run from then on; where it cannot run it is
 * unavailable. The same content again is none. Throws `not_found`, `conflict`, `invalid_request` when a managed recipe that names
 * the rule has no room for its patterns.
 */
export function publishManagedRule(input: PublishManagedRuleInput) {
  return (state: ManagedRulebook): readonly ManagedEvent[] => {
    const { ruleId: rule_id, versionId: version_id, mode } = input
    const current = inForce(state.rules, rule_id)
    if (mode === 'replace') mustExist(current)
    else assertManagedRoom(state.rules.size)
    const content = managedRuleContent(input)
    if (isSame(current && managedRuleContent(current), content)) return []
    assertManagedPatternRoom(state, rule_id, content)
    return [{ type: 'ManagedRulePublished', data: { rule_id, version_id, ...content } }]
  }
}

/** Throws `invalid_request` when a managed recipe that names the rule has no room for the patterns of its new version. */
export function assertManagedPatternRoom(
  state: ManagedRulebook,
  ruleId: string,
  rule: Pick<ManagedRuleContent, 'expression'>,
): void {
  for (const { current, retired } of state.recipes.values()) {
    if (retired || !current.rules.some(({ rule_id }) => rule_id === ruleId)) continue
    const problems = managedPatternProblems(state, current.rules, { ruleId, rule })
    if (problems.length > 0) {
      throw invalidRequest(problems.map((message) => ({ path: 'expression', message })))
    }
  }
}

/**
 * The decision: a rule that recipes name stays (`rule_in_use`); one that is gone already is no error, one that never was is `not_found`. `users` are recipes of customers;
 * managed recipes are found here.
 */
export function retireManagedRule(ruleId: string, users: readonly string[]) {
  return (state: ManagedRulebook): readonly ManagedEvent[] => {
    mustExist(state.rules.get(ruleId))
    if (!inForce(state.rules, ruleId)) return []
    const managed = [...state.recipes].flatMap(([id, { current, retired }]) =>
      !retired && current.rules.some(({ rule_id }) => rule_id === ruleId) ? [id] : [],
    )
    const all = [...managed, ...users]
    if (all.length > 0) {
      throw new Failure(
        'rule_in_use',
        'The rule is still referenced and cannot be deleted; details names recipes.',
        { details: all.map((message) => ({ path: 'id', message })) },
      )
    }
    return [{ type: 'ManagedRuleRetired', data: { rule_id: ruleId } }]
  }
}
