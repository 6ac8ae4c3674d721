/** Defines managed rules: their input, what is refused, how they are shown. */

import { type FailureDetail, invalidRequest, unavailable } from '../../../domain/failure.ts'
import { idPrefixes } from '../../../domain/ids.ts'
import { closedObject, inputLimits, type ObjectOf, optional } from '../../../domain/jsonSchema.ts'
import {
  pickManagedRuleContent,
  toAuthoredRule,
  toRecordedRule,
} from '../../../events/rulebook/authoredContent.ts'
import type {
  ManagedRulebook,
  ManagedRuleContent,
  RuleParameter,
} from '../../../events/rulebook/managedRulebook.ts'
import { managedStream } from '../../../events/rulebook/rulebook.ts'
import { recipeCollection } from '../../../projections/rulebook/currentVersions.ts'
import { managedUseCollection } from '../../../projections/rulebook/managedUses.ts'
import {
  getDocument,
  type Readers,
  readDocumentPages,
} from '../../../projections/running/documents.ts'
import { compileManagedRule } from '../../../state/rulebook/compileRule.ts'
import { findManagedPatternProblems } from '../../../state/rulebook/flowLimits.ts'
import {
  decideDeletion,
  decidePublication,
  prepareRestoration,
} from '../../../state/rulebook/resourceDecisions.ts'
import {
  type DecidedResource,
  type ManagedRulebookTypes,
  managedRulebookAccess,
  type ResourceView,
} from '../../../state/rulebook/resourceDefinition.ts'
import { assertManagedLimit } from '../../../state/rulebook/rulebookLimits.ts'
import type { RulebookContext } from '../../../state/rulebook/rulebookStreams.ts'
import { findRuleWarnings } from '../../../state/rulebook/rulebookWarnings.ts'
import { ruleFields } from '../../../state/rulebook/rules.ts'

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

export const managedRuleDefinition: DecidedResource<
  ManagedRuleInput,
  ManagedRuleContent,
  ManagedRulebookTypes
> = {
  name: 'managed_rules',
  noun: 'managed rule',
  prefix: idPrefixes.rule,
  owner: managedRulebookAccess,
  entries: ({ rules }) => rules,
  current: ({ rules }, id) => rules.get(id)?.current,
  pick: pickManagedRuleContent,
  problems: findPatternProblems,
  assertRoom: ({ rules }) => assertManagedLimit(rules.size),
  // a shipped version that is brought back is the operator's choice, and not replaced by what ships later
  versionEvent: (change, id, rule) => ({
    type: `ManagedRule${change}`,
    data: { rule_id: id, ...rule },
  }),
  retiredEvent: (id) => ({ type: 'ManagedRuleRetired', data: { rule_id: id } }),
  inUse: {
    code: 'rule_in_use',
    message: 'The rule is still referenced and cannot be deleted; details names recipes.',
    users: listRecipesNaming,
  },
  publish: (_, publishing, { parameters = [], ...input }) => {
    const problems = parameters.flatMap((parameter, index) => {
      const message = findDuplicateNameProblem(parameter, index, parameters)
      return message === undefined ? [] : [{ path: `parameters.${index}.name`, message }]
    })
    if (problems.length > 0) throw invalidRequest(problems)
    const expression = compileManagedRule(input.expression, parameters)
    const rule = toRecordedRule({ ...input, parameters }, expression)
    return (state) => decidePublication(managedRuleDefinition, state, { ...rule, ...publishing })
  },
  retire: async (context, id) => {
    const otherUsers = await findReferringRecipes(context, 'rules', id)
    return (state) => decideDeletion(managedRuleDefinition, state, { id, otherUsers })
  },
  restore: (context, version) => prepareRestoration(context, version, managedRuleDefinition),
  view: (state, id): ManagedRuleView | undefined => {
    const rule = state.rules.get(id)?.current
    if (!rule) return undefined
    return { id, ...toAuthoredRule(pickManagedRuleContent(rule)), version_id: rule.version_id }
  },
  warnings: (_, { rules }, { id }) => {
    const rule = rules.get(id)?.current
    return rule ? findRuleWarnings(rule.expression) : []
  },
}

/** The problem of a parameter that is declared twice: which of the two a rule would read cannot be told. */
export function findDuplicateNameProblem(
  { name }: Pick<RuleParameter, 'name'>,
  index: number,
  all: readonly Pick<RuleParameter, 'name'>[],
): string | undefined {
  const isFirst = all.findIndex((other) => other.name === name) === index
  return isFirst ? undefined : 'There is a parameter of this name already.'
}

/** How long it is waited until the read models know every recipe that was saved before. */
const knownMs = 2_000

/** Users that a refusal to delete names. */
const usersMax = 100

/** Uses read at a time. */
const usesAtOnce = 500

/**
 * The recipes of customers that use the rule or recipe, as of now: everything written before this question is read. One
 * that is saved between the question and the deletion finds its rule unavailable (docs/decisions).
 */
export async function findReferringRecipes(
  context: RulebookContext,
  kind: 'rules' | 'recipes',
  id: string,
): Promise<readonly string[]> {
  const { state } = await context.managed.catchUp(managedStream)
  if (!state[kind].get(id)?.current) return []
  if (!(await context.projections.waitFor(await context.events.head(), knownMs))) {
    throw unavailable('It is not known yet which recipes use it.')
  }
  return listRecipesUsing(context, id, usersMax)
}

/** Ids of recipes that name the managed rule, or extend the managed recipe, of this id now; at most `max`. */
export async function listRecipesUsing(
  readers: Readers,
  id: string,
  max: number,
): Promise<readonly string[]> {
  const prefix = `${id}/`
  const users: string[] = []
  // recipes that use it or once did
  const reading = { question: { where: { id: { prefix } } }, readAtOnce: usesAtOnce }
  for await (const page of readDocumentPages(readers, managedUseCollection, reading)) {
    for (const use of page) {
      if (users.length === max) return users
      const recipe = use.id.slice(prefix.length)
      if (await isUsing(readers, recipe, id)) users.push(recipe)
    }
  }
  return users
}

async function isUsing(readers: Readers, recipeId: string, id: string): Promise<boolean> {
  const found = await getDocument(readers, recipeCollection, recipeId)
  if (!found) return false
  const { base_recipe_id, rules } = found.body
  return base_recipe_id === id || rules.some(({ rule_id }) => rule_id === id)
}

function listRecipesNaming({ recipes }: ManagedRulebook, ruleId: string): readonly string[] {
  return [...recipes].flatMap(([id, { current }]) =>
    current?.rules.some(({ rule_id }) => rule_id === ruleId) ? [id] : [],
  )
}

/** The problem of the first managed recipe that names the rule and cannot take the patterns of its new version. */
function findPatternProblems(
  state: ManagedRulebook,
  ruleId: string,
  rule: ManagedRuleContent,
): readonly FailureDetail[] {
  for (const recipeId of listRecipesNaming(state, ruleId)) {
    const members = state.recipes.get(recipeId)?.current?.rules ?? []
    const rules = members.flatMap(({ rule_id }) =>
      rule_id === ruleId ? rule : (state.rules.get(rule_id)?.current ?? []),
    )
    const problems = findManagedPatternProblems('expression', rules)
    if (problems.length > 0) return problems
  }
  return []
}
