/** Publishes, deletes and restores managed recipes. */

import { Failure, type FailureDetail, invalidRequest, mustExist } from '../../../domain/failure.ts'
import { idPrefixes } from '../../../domain/ids.ts'
import {
  closedObject,
  int64,
  limits,
  type ObjectOf,
  openObject,
  optional,
  text,
} from '../../../domain/schema.ts'
import { managedRecipeContent } from '../../../events/rulebook/contents.ts'
import {
  inForce,
  type ManagedEvent,
  type ManagedRecipeContent,
  type ManagedRecipeVersion,
  type ManagedRulebook,
  type RecipeParameter,
} from '../../../events/rulebook/managedRulebook.ts'
import { earlierVersion, managedRecipeOfEvent } from '../earlierVersions.ts'
import { managedPatternProblems } from '../patternLimits.ts'
import { outlineBase } from '../planFlow.ts'
import { bindingsOf, lackingParameter, parameterProblem } from '../recipeParameters.ts'
import { membershipFields, parameterValue } from '../recipes.ts'
import {
  type Decide,
  isSame,
  type Kind,
  operator,
  type Publishing,
  type ResourceView,
  resourceName,
  type SharedRulebook,
  versionToRestore,
} from '../resources.ts'
import { assertManagedLimit } from '../rulebookLimits.ts'
import { namedInForce, recipeWarnings } from '../saveWarnings.ts'
import { managedDescription, parameterName } from './managedRules.ts'
import { keptVersions, managedUsers } from './managedUsers.ts'

const parameterFields = {
  name: parameterName,
  type: { type: 'string', enum: ['BOOL', 'INT', 'DOUBLE', 'STRING', 'ENUM'] },
  default_value: { ...parameterValue, description: 'Answered as text.' },
  value_min: optional({ type: 'number' }),
  value_max: optional({ type: 'number' }),
  values: optional({
    type: 'array',
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
    items: { type: 'string', maxLength: limits.parameterValue },
    description: 'What an ENUM may be.',
  }),
} as const

const bounds = { min: int64, max: int64 }
const { version_id: _, ...memberFields } = membershipFields

const rules = {
  type: 'array',
  maxItems: limits.rulesPerManagedRecipe,
  items: closedObject('ManagedMembership', memberFields),
} as const

/** What customers are told of a managed recipe. */
export const offeredRecipeFields = {
  description: text,
  threshold: int64,
  threshold_bounds: openObject('ThresholdBounds', bounds),
  parameters: { type: 'array', items: openObject('RecipeParameter', parameterFields) },
} as const

export const managedRecipeFields = {
  input: {
    name: optional(resourceName),
    description: managedDescription,
    threshold: int64,
    threshold_bounds: closedObject('ThresholdBoundsInput', bounds),
    parameters: optional({
      type: 'array',
      maxItems: limits.parameters,
      items: closedObject('RecipeParameterInput', parameterFields),
    }),
    rules,
  },
  view: { name: optional(resourceName), ...offeredRecipeFields, rules },
}

interface ManagedRecipeView extends ManagedRecipeContent, ResourceView {}
export type ManagedRecipeInput = ObjectOf<(typeof managedRecipeFields)['input']>

export const managedRecipeKind: Kind<ManagedRecipeInput, SharedRulebook> = {
  name: 'managed_recipes',
  noun: 'managed recipe',
  prefix: idPrefixes.recipe,
  owner: operator,
  publish: (_, { id, versionId, mode }, { parameters = [], ...input }) =>
    publishManagedRecipe({
      ...input,
      recipeId: id,
      versionId,
      mode,
      parameters: parameters.map((parameter) => ({
        ...parameter,
        default_value: `${parameter.default_value}`,
      })),
    }),
  retire: async (context, id) =>
    retireManagedRecipe(id, await managedUsers(context, ({ recipes }) => inForce(recipes, id), id)),
  restore: async (context, { account, id, versionId }) => {
    const found = await earlierVersion(context, account, { of: id, versionId })
    return restoreManagedRecipe(id, versionId, managedRecipeOfEvent(found))
  },
  view: (state, id): ManagedRecipeView | undefined => {
    const recipe = inForce(state.recipes, id)
    return recipe && { id, ...managedRecipeContent(recipe), version_id: recipe.version_id }
  },
  warnings: (_, state, id) => {
    const base = inForce(state.recipes, id)
    if (!base) return []
    // as it runs where nobody has set its parameters
    const bindings = bindingsOf(base.parameters)
    const rules = outlineBase(state, { base, inForce: true, bindings })
    return recipeWarnings({ threshold: base.threshold, rules })
  },
  named: ({ recipes }) => namedInForce(recipes),
}

export interface PublishManagedRecipeInput extends ManagedRecipeContent, Publishing {
  readonly recipeId: string
}

/**
 * The decision: every change is a new version, which the recipes that extend it run from then on; unchanged content makes none, but
 * is checked. Throws `invalid_request` with a path for everything that does not fit together, `not_found`, `conflict`.
 */
export function publishManagedRecipe(input: PublishManagedRecipeInput) {
  return (state: ManagedRulebook): readonly ManagedEvent[] => {
    const { recipeId: recipe_id, versionId: version_id, mode } = input
    const current = inForce(state.recipes, recipe_id)
    if (mode === 'replace') mustExist(current)
    else assertManagedLimit(state.recipes.size)
    const content = managedRecipeContent(input)
    const problems = [
      ...thresholdProblems(content),
      ...content.parameters.flatMap(parameterProblems),
      ...ruleProblems(state, content),
      ...managedPatternProblems(state, content.rules).map((message) => ({
        path: 'rules',
        message,
      })),
    ]
    if (problems.length > 0) throw invalidRequest(problems)
    if (isSame(current && managedRecipeContent(current), content)) return []
    return [{ type: 'ManagedRecipePublished', data: { recipe_id, version_id, ...content } }]
  }
}

/** The decision: a recipe that `users` extend stays (`recipe_in_use`); one that is gone already is no error. Throws `not_found` for one that never was. */
export function retireManagedRecipe(recipeId: string, users: readonly string[]) {
  return (state: ManagedRulebook): readonly ManagedEvent[] => {
    mustExist(state.recipes.get(recipeId))
    if (!inForce(state.recipes, recipeId)) return []
    if (users.length > 0) {
      throw new Failure(
        'recipe_in_use',
        'The recipe is still extended and cannot be deleted; details names recipes.',
        { details: users.map((message) => ({ path: 'id', message })) },
      )
    }
    return [{ type: 'ManagedRecipeRetired', data: { recipe_id: recipeId } }]
  }
}

function thresholdProblems(content: ManagedRecipeContent): readonly FailureDetail[] {
  const { min, max } = content.threshold_bounds
  if (min > max) return [{ path: 'threshold_bounds', message: 'The min is above the max.' }]
  if (content.threshold >= min && content.threshold <= max) return []
  return [{ path: 'threshold', message: `Must be from ${min} to ${max}.` }]
}

function parameterProblems(
  parameter: RecipeParameter,
  index: number,
  all: readonly RecipeParameter[],
): readonly FailureDetail[] {
  const { name, type, default_value, values } = parameter
  const taken = all.findIndex((other) => other.name === name) < index
  const problems = {
    name: taken ? 'There is a parameter of this name already.' : undefined,
    value_min: boundsProblem(parameter),
    values:
      (type === 'ENUM') === (values !== undefined)
        ? undefined
        : 'A parameter has values when it is an ENUM, and only then.',
    default_value: parameterProblem(parameter, default_value),
  }
  return Object.entries(problems).flatMap(([field, message]) =>
    message === undefined ? [] : [{ path: `parameters.${index}.${field}`, message }],
  )
}

function boundsProblem({ type, value_min, value_max }: RecipeParameter): string | undefined {
  if (value_min === undefined && value_max === undefined) return undefined
  if (type !== 'INT' && type !== 'DOUBLE') return 'Only numbers have bounds.'
  const crossed = value_min !== undefined && value_max !== undefined && value_min > value_max
  return crossed ? 'The min is above the max.' : undefined
}

function ruleProblems(
  state: ManagedRulebook,
  { rules, parameters }: ManagedRecipeContent,
): readonly FailureDetail[] {
  const bindings = bindingsOf(parameters)
  const problemOf = (ruleId: string, index: number): string | undefined => {
    if (rules.findIndex(({ rule_id }) => rule_id === ruleId) < index) {
      return 'The recipe names this rule twice.'
    }
    const rule = inForce(state.rules, ruleId)
    if (!rule) return 'There is no managed rule with this id.'
    const lacking = lackingParameter(rule.parameters, bindings)
    return (
      lacking && `The rule reads the parameter ${lacking}, which the recipe does not declare so.`
    )
  }
  return rules.flatMap(({ rule_id }, index) => {
    const message = problemOf(rule_id, index)
    return message === undefined ? [] : [{ path: `rules.${index}.rule_id`, message }]
  })
}

/** The decision, as for a managed rule. Throws also `invalid_request` with a path for everything that does not fit together any more. */
export function restoreManagedRecipe(
  recipeId: string,
  versionId: string,
  earlier?: ManagedRecipeVersion,
): Decide<SharedRulebook> {
  return (state) => {
    const entry = keptVersions(state.recipes, recipeId)
    const { version, isCurrent } = versionToRestore(entry, versionId, earlier)
    if (isCurrent) return []
    publishManagedRecipe({ ...version, recipeId, versionId, mode: 'replace' })(state)
    const data = { recipe_id: recipeId, version_id: versionId, ...managedRecipeContent(version) }
    return [{ type: 'ManagedRecipeRestored', data }]
  }
}
