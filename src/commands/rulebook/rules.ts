/** Declares the rule resource, and decides to publish, delete and restore rules. */

import { Failure, invalidRequest, requireExisting } from '../../domain/failure.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { closedObject, inputLimits, type TypeOf } from '../../domain/jsonSchema.ts'
import { mayUseLists } from '../../engine/language/inListLookups.ts'
import { ruleLimits } from '../../engine/language/ruleLimits.ts'
import { pickRuleContent, toRecordedRule } from '../../events/rulebook/authoredContent.ts'
import {
  parseRuleVersion,
  type RulebookEvent,
  type RulebookState,
  type RuleContent,
  type RuleVersion,
} from '../../events/rulebook/rulebook.ts'
import { compileRule } from './compileRule.ts'
import { findEarlierVersion } from './earlierVersions.ts'
import { ruleLimitProblems } from './flowLimits.ts'
import { assertListsExist, indexListKinds } from './namedListDecisions.ts'
import {
  assertUnused,
  findVersionToRestore,
  getCurrentVersion,
  hasSameContent,
  type OwnRulebookTypes,
  ownRulebookAccess,
  type PublishInput,
  type ResourceDefinition,
  type ResourceView,
  resourceNameSchema,
} from './rulebookResources.ts'
import { requireManagedRulebook } from './rulebookStreams.ts'
import { ruleWarnings } from './rulebookWarnings.ts'

export const ruleFields = {
  name: resourceNameSchema,
  expression: {
    type: 'string',
    minLength: 1,
    maxLength: inputLimits.expression,
    description: `A condition in the rule language; it must be true or false. Each of its patterns has a size of at most ${ruleLimits.patternSize}, all together of at most ${ruleLimits.rulePatterns}.`,
  },
} as const
export const ruleInputSchema = closedObject('RuleInput', ruleFields)
export type RuleInput = TypeOf<typeof ruleInputSchema>
type RuleView = RuleInput & ResourceView

export const ruleDefinition: ResourceDefinition<RuleInput, OwnRulebookTypes> = {
  name: 'rules',
  noun: 'rule',
  prefix: idPrefixes.rule,
  owner: ownRulebookAccess,
  refuse: (context, id) => {
    if (!requireManagedRulebook(context).rules.get(id)?.current) return
    const message = 'A managed rule can be used, and not be changed.'
    throw new Failure('managed_rule_read_only', message)
  },
  publish: (_, publishing, input) => {
    // which lists there are is known only where it is decided
    const compiled = mayUseLists(input.expression) ? undefined : compileRule(input.expression)
    return (state) => {
      const expression = compiled ?? compileRule(input.expression, indexListKinds(state))
      return decideRulePublication(state, { ...toRecordedRule(input, expression), ...publishing })
    }
  },
  retire: (_, id) => (state) => decideRuleDeletion(state, id),
  restore: async (context, version) => {
    const earlier = await findEarlierVersion<RestoredRule>(context, version)
    return (state) => decideRuleRestoration(state, version.id, earlier)
  },
  view: (state, id): RuleView | undefined => {
    const rule = state.rules.get(id)?.current
    return rule && { id, name: rule.name, expression: rule.text, version_id: rule.version_id }
  },
  warnings: (_, { rules }, id) => {
    const rule = rules.get(id)?.current
    return rule ? ruleWarnings(parseRuleVersion(rule).expression) : []
  },
  entries: ({ rules }) => rules,
}

export interface PublishRuleInput extends RuleContent, PublishInput {}

/**
 * The decision: every change is a new version (spec 2.6); unchanged content makes none. Throws `not_found`, `conflict`,
 * `invalid_request` when a recipe or a flow that runs the rule cannot take its patterns or what it asks of lists.
 */
export function decideRulePublication(
  state: RulebookState,
  input: PublishRuleInput,
): readonly RulebookEvent[] {
  const current = getCurrentVersion(state.rules, input)
  const content = pickRuleContent(input)
  if (current && isUnchanged(current, content)) return []
  assertRuleFits(state, input.id, content)
  const data = { rule_id: input.id, version_id: input.versionId, ...content }
  return [{ type: 'RulePublished', data }]
}

/** Throws `invalid_request` when a recipe or a flow that runs the rule cannot take the patterns of its new version, or what it asks of lists. */
function assertRuleFits(state: RulebookState, ruleId: string, rule: RuleContent): void {
  const problems = ruleLimitProblems(state, ruleId, rule)
  if (problems.length > 0) throw invalidRequest(problems)
}

/** Told by the texts wherever they tell it: an expression may have a thousand nodes. */
function isUnchanged(current: RuleVersion, content: RuleContent): boolean {
  if (current.name !== content.name || current.text !== content.text) return false
  if (current.expression === JSON.stringify(content.expression)) return true
  return hasSameContent(pickRuleContent(parseRuleVersion(current)), content)
}

/** The decision: a rule that a recipe names stays (`rule_in_use`); one that is gone already is no error. Throws `not_found` for one that never was. */
export function decideRuleDeletion(state: RulebookState, id: string): readonly RulebookEvent[] {
  const { current, referrers } = requireExisting(state.rules.get(id))
  if (!current) return []
  const message = 'The rule is still referenced and cannot be deleted; details names the recipes.'
  assertUnused('rule_in_use', message, [...referrers.keys()].sort())
  return [{ type: 'RuleRetired', data: { rule_id: id } }]
}

type RestoredRule = RuleContent & Pick<RuleVersion, 'version_id'>

/**
 * The decision: the version keeps its id, so that pins still mean it; restoring the current one changes nothing. `earlier` is the version
 * as the log has it. Throws `not_found`, `invalid_rule` for a version that asks a list which is gone, `invalid_request` when a recipe or a flow that runs the rule cannot take it.
 */
export function decideRuleRestoration(
  state: RulebookState,
  id: string,
  earlier: RestoredRule | undefined,
): readonly RulebookEvent[] {
  const version = findVersionToRestore(state.rules.get(id), earlier)
  if (!version) return []
  const content = pickRuleContent(version)
  assertListsExist(state, content)
  assertRuleFits(state, id, content)
  const data = { rule_id: id, version_id: version.version_id, ...content }
  return [{ type: 'RuleRestored', data }]
}
