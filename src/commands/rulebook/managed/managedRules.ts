/** Publishes, deletes and restores managed rules. */

import { Failure, invalidRequest, mustExist } from '../../../domain/failure.ts'
import { idPrefixes } from '../../../domain/ids.ts'
import { closedObject, limits, type ObjectOf, optional } from '../../../domain/schema.ts'
import {
  authoredRule,
  managedRuleContent,
  recordedRule,
} from '../../../events/rulebook/contents.ts'
import {
  inForce,
  type ManagedEvent,
  type ManagedRulebook,
  type ManagedRuleContent,
  type ManagedRuleVersion,
} from '../../../events/rulebook/managedRulebook.ts'
import { compileManagedRule, declaredTwice, invalidRule, ruleDetails } from '../compileRule.ts'
import { earlierVersion, managedRuleOfEvent } from '../earlierVersions.ts'
import { assertSavable, managedPatternProblems } from '../patternLimits.ts'
import {
  type Decide,
  isSame,
  type Kind,
  operator,
  type Publishing,
  type ResourceView,
  type SharedRulebook,
  versionToRestore,
} from '../resources.ts'
import { assertManagedLimit } from '../rulebookLimits.ts'
import { ruleFields } from '../rules.ts'
import { namedInForce, ruleWarnings } from '../saveWarnings.ts'
import { keptVersions, managedUsers } from './managedUsers.ts'

/** What customers read of a managed rule or recipe. */
export const managedDescription = {
  type: 'string',
  minLength: 1,
  maxLength: limits.text,
  description: 'What customers read.',
} as const

export const parameterName = {
  type: 'string',
  pattern: '^[a-z][a-z0-9_]*$',
  maxLength: limits.parameterName,
  description: 'Read as param.<name>.',
} as const

const parameters = {
  type: 'array',
  maxItems: limits.parameters,
  description:
    'What the expression reads as param.<name>; a recipe that has the rule declares them.',
  items: closedObject('RuleParameter', {
    name: parameterName,
    type: { type: 'string', enum: ['BOOL', 'INT', 'DOUBLE', 'STRING'] },
  }),
} as const

const fields = { ...ruleFields, description: managedDescription }
export const managedRuleFields = {
  input: { ...fields, parameters: optional(parameters) },
  view: { ...fields, parameters },
}

type ManagedRuleView = ObjectOf<(typeof managedRuleFields)['view']> & ResourceView
export type ManagedRuleInput = ObjectOf<(typeof managedRuleFields)['input']>

export const managedRuleKind: Kind<ManagedRuleInput, SharedRulebook> = {
  name: 'managed_rules',
  noun: 'managed rule',
  prefix: idPrefixes.rule,
  owner: operator,
  publish: (_, { id, versionId, mode }, { parameters = [], ...input }) => {
    const twice = declaredTwice(parameters)
    if (twice.length > 0) throw invalidRequest(twice)
    const compiled = compileManagedRule(input.expression, parameters)
    if ('expression' in compiled) {
      const rule = recordedRule({ ...input, parameters }, compiled.expression)
      return publishManagedRule({ ...rule, ruleId: id, versionId, mode })
    }
    throw invalidRule('expression', ruleDetails('expression', compiled.problems))
  },
  retire: async (context, id) =>
    retireManagedRule(id, await managedUsers(context, ({ rules }) => inForce(rules, id), id)),
  restore: async (context, { account, id, versionId }) => {
    const found = await earlierVersion(context, account, { of: id, versionId })
    return restoreManagedRule(id, versionId, managedRuleOfEvent(found))
  },
  view: (state, id): ManagedRuleView | undefined => {
    const rule = inForce(state.rules, id)
    if (!rule) return undefined
    return { id, ...authoredRule(managedRuleContent(rule)), version_id: rule.version_id }
  },
  warnings: (_, { rules }, id) => {
    const rule = inForce(rules, id)
    return rule ? ruleWarnings(rule.expression) : []
  },
  named: ({ rules }) => namedInForce(rules),
}

export interface PublishManagedRuleInput extends ManagedRuleContent, Publishing {
  readonly ruleId: string
}

/**
 * The decision: every change is a new version, which the recipes that name the rule run from then on; where it cannot run it is
 * unavailable. The same content again is none. Throws `not_found`, `conflict`, `invalid_request` when a managed recipe that names
 * the rule cannot take its patterns.
 */
export function publishManagedRule(input: PublishManagedRuleInput) {
  return (state: ManagedRulebook): readonly ManagedEvent[] => {
    const { ruleId: rule_id, versionId: version_id, mode } = input
    const current = inForce(state.rules, rule_id)
    if (mode === 'replace') mustExist(current)
    else assertManagedLimit(state.rules.size)
    const content = managedRuleContent(input)
    if (isSame(current && managedRuleContent(current), content)) return []
    assertManagedPatterns(state, rule_id, content)
    return [{ type: 'ManagedRulePublished', data: { rule_id, version_id, ...content } }]
  }
}

/** Throws `invalid_request` when a managed recipe that names the rule cannot take the patterns of its new version. */
function assertManagedPatterns(
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

/**
 * The decision: the version keeps its id; restoring the current one changes nothing. As after any change of it, the recipes that name it
 * run it from then on, and where it cannot run it is unavailable. A shipped version that is brought back is the operator's choice and not
 * replaced by what ships later.
 */
export function restoreManagedRule(
  ruleId: string,
  versionId: string,
  earlier?: ManagedRuleVersion,
): Decide<SharedRulebook> {
  return (state) => {
    const entry = keptVersions(state.rules, ruleId)
    const { version, isCurrent } = versionToRestore(entry, versionId, earlier)
    if (isCurrent) return []
    const content = managedRuleContent(version)
    assertSavable(content)
    assertManagedPatterns(state, ruleId, content)
    const data = { rule_id: ruleId, version_id: versionId, ...content }
    return [{ type: 'ManagedRuleRestored', data }]
  }
}
