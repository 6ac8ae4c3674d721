/** Publishes and retires rules. */

import { Failure, mustExist } from '../../domain/failure.ts'
import type { Expression } from '../../engine/language/expression.ts'
import type { RulebookEvent, RulebookState } from '../../events/rulebook/rulebook.ts'
import { assertRoom } from './rulebookLimits.ts'

export interface PublishRuleInput {
  readonly ruleId: string
  readonly versionId: string
  readonly name: string
  readonly text: string
  readonly expression: Expression
  /** Whether the rule is made by this command or must be there. */
  readonly mode: 'create' | 'replace'
}

/** The decision: every change is a new version (spec 2.6); the same content again is none. Throws `not_found`, `conflict`. */
export function publishRule(input: PublishRuleInput) {
  return (state: RulebookState): readonly RulebookEvent[] => {
    const current = state.rules.get(input.ruleId)?.current
    if (input.mode === 'replace') mustExist(current)
    else assertRoom('rules', state.rules.size)
    if (current && current.name === input.name && current.text === input.text) return []
    const { ruleId, versionId, name, text, expression } = input
    return [
      {
        type: 'RulePublished',
        data: { rule_id: ruleId, version_id: versionId, name, text, expression },
      },
    ]
  }
}

/** The decision: a rule that a recipe names stays (`rule_in_use`); one that is gone already is no error. */
export function retireRule(ruleId: string) {
  return (state: RulebookState): readonly RulebookEvent[] => {
    const entry = state.rules.get(ruleId)
    if (!entry?.current) return []
    if (entry.referrers.size > 0) {
      throw new Failure(
        'rule_in_use',
        'The rule is still referenced and cannot be deleted; details names the recipes.',
        { details: [...entry.referrers].sort().map((message) => ({ path: 'id', message })) },
      )
    }
    return [{ type: 'RuleRetired', data: { rule_id: ruleId } }]
  }
}
