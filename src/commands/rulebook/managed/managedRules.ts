/** Declares the input of managed rules; decides to publish, delete and restore them. */

import { invalidRequest, requireExisting } from '../../../domain/failure.ts'
import { idPrefixes } from '../../../domain/ids.ts'
import { closedObject, inputLimits, type ObjectOf, optional } from '../../../domain/jsonSchema.ts'
import {
  pickManagedRuleContent,
  toAuthoredRule,
  toRecordedRule,
} from '../../../events/rulebook/authoredContent.ts'
import type {
  ManagedRulebook,
  ManagedRulebookEvent,
  ManagedRuleContent,
  ManagedRuleVersion,
  RuleParameter,
} from '../../../events/rulebook/managedRulebook.ts'
import { managedStream } from '../../../events/rulebook/rulebook.ts'
import { compileManagedRule } from '../compileRule.ts'
import { findEarlierVersion } from '../earlierVersions.ts'
import { managedPatternProblems } from '../flowLimits.ts'
import { assertManagedLimit } from '../rulebookLimits.ts'
import {
  assertUnused,
  findVersionToRestore,
  getCurrentVersion,
  hasSameContent,
  type ManagedRulebookTypes,
  managedRulebookAccess,
  type PublishInput,
  type ResourceDefinition,
  type ResourceView,
} from '../rulebookResources.ts'
import type { RulebookContext } from '../rulebookStreams.ts'
import { ruleWarnings } from '../rulebookWarnings.ts'
import { ruleFields } from '../rules.ts'

/** What customers read of a managed rule or recipe. */
export const managedDescription = {
  type: 'string',
  minLength: 1,
  maxLength: inputLimits.stringSchema,
  description: 'The description shown to customers.',
} as const

export const parameterNameSchema = {
  type: 'string',
  pattern: '^[a-z][a-z0-9_]*$',
  maxLength: inputLimits.parameterName,
  description: 'Read as param.<name>.',
} as const

const parameters = {
  type: 'array',
  maxItems: inputLimits.parameters,
  description:
    'Parameters that the expression reads as param.<name>; recipes with the rule declare them.',
  items: closedObject('RuleParameter', {
    name: parameterNameSchema,
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

export const managedRuleDefinition: ResourceDefinition<ManagedRuleInput, ManagedRulebookTypes> = {
  name: 'managed_rules',
  noun: 'managed rule',
  prefix: idPrefixes.rule,
  owner: managedRulebookAccess,
  publish: (_, publishing, { parameters = [], ...input }) => {
    const problems = parameters.flatMap((parameter, index) => {
      const message = duplicateNameProblem(parameter, index, parameters)
      return message === undefined ? [] : [{ path: `parameters.${index}.name`, message }]
    })
    if (problems.length > 0) throw invalidRequest(problems)
    const expression = compileManagedRule(input.expression, parameters)
    const rule = toRecordedRule({ ...input, parameters }, expression)
    return (state) => publishManagedRule(state, { ...rule, ...publishing })
  },
  retire: async (context, id) => {
    const users = await findReferringRecipes(context, 'rules', id)
    return (state) => retireManagedRule(state, id, users)
  },
  restore: async (context, version) => {
    const earlier = await findEarlierVersion<ManagedRuleVersion>(context, version)
    return (state) => restoreManagedRule(state, version.id, earlier)
  },
  view: (state, id): ManagedRuleView | undefined => {
    const rule = state.rules.get(id)?.current
    if (!rule) return undefined
    return { id, ...toAuthoredRule(pickManagedRuleContent(rule)), version_id: rule.version_id }
  },
  warnings: (_, { rules }, id) => {
    const rule = rules.get(id)?.current
    return rule ? ruleWarnings(rule.expression) : []
  },
  entries: ({ rules }) => rules,
}

/** The problem of a parameter that is declared twice: which of the two a rule would read cannot be told. */
export function duplicateNameProblem(
  { name }: Pick<RuleParameter, 'name'>,
  index: number,
  all: readonly Pick<RuleParameter, 'name'>[],
): string | undefined {
  const isFirst = all.findIndex((other) => other.name === name) === index
  return isFirst ? undefined : 'There is a parameter of this name already.'
}

/** Users that a refusal to delete names. */
const usersMax = 100

/**
 * The recipes of customers that use the rule or recipe, as of now: everything written before this question is read. One that is saved
 * between the question and the deletion finds its rule unavailable (docs/decisions).
 */
export async function findReferringRecipes(
  context: RulebookContext,
  kind: 'rules' | 'recipes',
  id: string,
): Promise<readonly string[]> {
  const { state } = await context.managed.catchUp(managedStream)
  return state[kind].get(id)?.current ? context.findManagedUsers(id, usersMax) : []
}

export interface PublishManagedRuleInput extends ManagedRuleContent, PublishInput {}

/**
 * The decision: every change is a new version, which the recipes that name the rule run from then on; where it cannot run it is
 * unavailable. The same content again is none. Throws `not_found`, `conflict`, `invalid_request` when a managed recipe that names
 * the rule cannot take its patterns.
 */
export function publishManagedRule(
  state: ManagedRulebook,
  input: PublishManagedRuleInput,
): readonly ManagedRulebookEvent[] {
  const current = getCurrentVersion(state.rules, input)
  if (input.mode === 'create') assertManagedLimit(state.rules.size)
  const content = pickManagedRuleContent(input)
  if (hasSameContent(current && pickManagedRuleContent(current), content)) return []
  assertManagedPatterns(state, input.id, content)
  const data = { rule_id: input.id, version_id: input.versionId, ...content }
  return [{ type: 'ManagedRulePublished', data }]
}

/** Ids of the managed recipes that name the rule. */
function recipesNaming({ recipes }: ManagedRulebook, ruleId: string): readonly string[] {
  return [...recipes].flatMap(([id, { current }]) =>
    current?.rules.some(({ rule_id }) => rule_id === ruleId) ? [id] : [],
  )
}

/** Throws `invalid_request` when a managed recipe that names the rule cannot take the patterns of its new version. */
function assertManagedPatterns(
  state: ManagedRulebook,
  ruleId: string,
  rule: Pick<ManagedRuleContent, 'expression'>,
): void {
  for (const recipeId of recipesNaming(state, ruleId)) {
    const members = state.recipes.get(recipeId)?.current?.rules ?? []
    const rules = members.flatMap(({ rule_id }) =>
      rule_id === ruleId ? rule : (state.rules.get(rule_id)?.current ?? []),
    )
    const problems = managedPatternProblems('expression', rules)
    if (problems.length > 0) throw invalidRequest(problems)
  }
}

/**
 * The decision: a rule that recipes name stays (`rule_in_use`); one that is gone already is no error, one that never was is `not_found`.
 * `users` are recipes of customers; managed recipes are found here.
 */
export function retireManagedRule(
  state: ManagedRulebook,
  id: string,
  users: readonly string[],
): readonly ManagedRulebookEvent[] {
  if (!requireExisting(state.rules.get(id)).current) return []
  const message = 'The rule is still referenced and cannot be deleted; details names recipes.'
  assertUnused('rule_in_use', message, [...recipesNaming(state, id), ...users])
  return [{ type: 'ManagedRuleRetired', data: { rule_id: id } }]
}

/**
 * The decision: the version keeps its id; restoring the current one changes nothing. As after any change of it, the recipes that name it
 * run it from then on, and where it cannot run it is unavailable. A shipped version that is brought back is the operator's choice and not
 * replaced by what ships later.
 */
export function restoreManagedRule(
  state: ManagedRulebook,
  id: string,
  earlier: ManagedRuleVersion | undefined,
): readonly ManagedRulebookEvent[] {
  const version = findVersionToRestore(state.rules.get(id), earlier)
  if (!version) return []
  const content = pickManagedRuleContent(version)
  assertManagedPatterns(state, id, content)
  const data = { rule_id: id, version_id: version.version_id, ...content }
  return [{ type: 'ManagedRuleRestored', data }]
}
