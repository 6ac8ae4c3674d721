/** Publishes, deletes and restores the rules of an account. */

import { Failure, invalidRequest, mustExist } from '../../domain/failure.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { closedObject, limits, type TypeOf } from '../../domain/schema.ts'
import type { Expression } from '../../engine/language/expression.ts'
import { limits as ruleLimits } from '../../engine/language/limits.ts'
import { mayAskLists } from '../../engine/language/lookups.ts'
import { authoredRule, recordedRule, ruleContent } from '../../events/rulebook/contents.ts'
import { inForce } from '../../events/rulebook/managedRulebook.ts'
import {
  type RulebookEvent,
  type RulebookState,
  type RuleContent,
  type RuleVersion,
  ruleOf,
} from '../../events/rulebook/rulebook.ts'
import { compileRule } from './compileRule.ts'
import { earlierVersion, ruleOfEvent } from './earlierVersions.ts'
import { ruleListProblems } from './listLimits.ts'
import { assertLists, listKindsIn } from './namedLists.ts'
import { assertSavable, rulePatternProblems } from './patternLimits.ts'
import {
  author,
  type Decide,
  isSame,
  type Kind,
  type OwnRulebook,
  type Publishing,
  type ResourceView,
  resourceName,
  versionToRestore,
} from './resources.ts'
import { managedRulebook } from './rulebookStreams.ts'
import { namedIn, ruleWarnings } from './saveWarnings.ts'

export const ruleFields = {
  name: resourceName,
  expression: {
    type: 'string',
    minLength: 1,
    maxLength: limits.expression,
    description: `A condition in the rule language; it must be true or false. Each of its patterns has a size of at most ${ruleLimits.patternSize}, all together of at most ${ruleLimits.rulePatterns}.`,
  },
} as const
export const ruleInputSchema = closedObject('RuleInput', ruleFields)
export type RuleInput = TypeOf<typeof ruleInputSchema>
type RuleView = RuleInput & ResourceView

export const ruleKind: Kind<RuleInput, OwnRulebook> = {
  name: 'rules',
  noun: 'rule',
  prefix: idPrefixes.rule,
  owner: author,
  refuse: (context, id) => {
    if (!inForce<object>(managedRulebook(context).rules, id)) return
    const message = 'A managed rule can be used, and not be changed.'
    throw new Failure('managed_rule_read_only', message)
  },
  publish: (_, { id, versionId, mode }, input) => {
    const publish = (expression: Expression) =>
      publishRule({ ...recordedRule(input, expression), ruleId: id, versionId, mode })
    // which lists there are is known only where it is decided
    return mayAskLists(input.expression)
      ? (state) => publish(compileRule(input.expression, listKindsIn(state)))(state)
      : publish(compileRule(input.expression))
  },
  retire: (_, id) => retireRule(id),
  restore: async (context, { account, id, versionId }) => {
    const found = await earlierVersion(context, account, { of: id, versionId })
    return restoreRule(id, versionId, ruleOfEvent(found))
  },
  view: (state, id): RuleView | undefined => {
    const rule = state.rules.get(id)?.current
    if (!rule) return undefined
    const { name, text, expression, version_id } = rule
    return { id, ...authoredRule({ name, text, expression }), version_id }
  },
  warnings: (_, { rules }, id) => {
    const rule = rules.get(id)?.current
    return rule ? ruleWarnings(ruleOf(rule).expression) : []
  },
  named: ({ rules }) => namedIn(rules),
}

export interface PublishRuleInput extends RuleContent, Publishing {
  readonly ruleId: string
}

/**
 * The decision: every change is a new version (spec 2.6); unchanged content makes none. Throws `not_found`, `conflict`,
 * `invalid_request` when a recipe or a flow that runs the rule cannot take its patterns or what it asks of lists.
 */
export function publishRule(input: PublishRuleInput) {
  return (state: RulebookState): readonly RulebookEvent[] => {
    const { ruleId: rule_id, versionId: version_id, mode } = input
    const current = state.rules.get(rule_id)?.current
    if (mode === 'replace') mustExist(current)
    const content = ruleContent(input)
    if (current && saysTheSame(current, content)) return []
    assertRuleFits(state, rule_id, content)
    return [{ type: 'RulePublished', data: { rule_id, version_id, ...content } }]
  }
}

/** Throws `invalid_request` when a recipe or a flow that runs the rule cannot take the patterns of its new version, or what it asks of lists. */
function assertRuleFits(state: RulebookState, ruleId: string, rule: RuleContent): void {
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

/**
 * The decision: the version keeps its id, so that pins still mean it; restoring the current one changes nothing. `earlier` is the version
 * where the log has it, since the rulebook may not hold it any more. Throws `not_found`, `invalid_rule` for a version whose patterns are
 * larger than what may be saved now, or that asks a list which is gone, `invalid_request` when a recipe or a flow that runs the rule
 * cannot take it.
 */
export function restoreRule(
  ruleId: string,
  versionId: string,
  earlier?: RuleVersion,
): Decide<OwnRulebook> {
  return (state) => {
    const { version, isCurrent } = versionToRestore(state.rules.get(ruleId), versionId, earlier)
    if (isCurrent) return []
    const content = ruleContent(ruleOf(version))
    assertSavable(content)
    assertLists(state, content)
    assertRuleFits(state, ruleId, content)
    const data = { rule_id: ruleId, version_id: versionId, ...content }
    return [{ type: 'RuleRestored', data }]
  }
}
