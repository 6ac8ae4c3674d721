/** Defines managed recipes: their input, what is refused, how they are shown. */

import type { FailureDetail } from '../../../domain/failure.ts'
import { idPrefixes } from '../../../domain/ids.ts'
import {
  closedObject,
  inputLimits,
  int64,
  nameSchema,
  type ObjectOf,
  openObject,
  optional,
  text,
} from '../../../domain/jsonSchema.ts'
import { runInSlices } from '../../../domain/load/scheduler.ts'
import { pickManagedRecipeContent } from '../../../events/rulebook/authoredContent.ts'
import type {
  ManagedRecipeContent,
  ManagedRulebook,
  RecipeParameter,
} from '../../../events/rulebook/managedRulebook.ts'
import { findManagedPatternProblems } from '../../../state/rulebook/flowLimits.ts'
import { outlineBase } from '../../../state/rulebook/outlineFlow.ts'
import {
  bindParameterValues,
  findParameterProblem,
  findUnboundParameter,
} from '../../../state/rulebook/recipeParameters.ts'
import { membershipFields, parameterValueSchema } from '../../../state/rulebook/recipes.ts'
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
import { findRecipeWarnings } from '../../../state/rulebook/rulebookWarnings.ts'
import {
  findDuplicateNameProblem,
  findReferringRecipes,
  managedDescription,
  parameterNameSchema,
} from './managedRules.ts'

const parameterFields = {
  name: parameterNameSchema,
  type: { type: 'string', enum: ['BOOL', 'INT', 'DOUBLE', 'STRING', 'ENUM'] },
  default_value: { ...parameterValueSchema, description: 'Returned as text.' },
  value_min: optional({ type: 'number' }),
  value_max: optional({ type: 'number' }),
  values: optional({
    type: 'array',
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
    items: { type: 'string', maxLength: inputLimits.parameterValue },
    description: 'The values of an ENUM.',
  }),
} as const

const bounds = { min: int64, max: int64 }
const { version_id: _, ...memberFields } = membershipFields

const rules = {
  type: 'array',
  maxItems: inputLimits.rulesPerManagedRecipe,
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
    name: optional(nameSchema),
    description: managedDescription,
    threshold: int64,
    threshold_bounds: closedObject('ThresholdBoundsInput', bounds),
    parameters: optional({
      type: 'array',
      maxItems: inputLimits.parameters,
      items: closedObject('RecipeParameterInput', parameterFields),
    }),
    rules,
  },
  view: { name: optional(nameSchema), ...offeredRecipeFields, rules },
}

interface ManagedRecipeView extends ManagedRecipeContent, ResourceView {}
export type ManagedRecipeInput = ObjectOf<(typeof managedRecipeFields)['input']>

export const managedRecipeDefinition: DecidedResource<
  ManagedRecipeInput,
  ManagedRecipeContent,
  ManagedRulebookTypes
> = {
  name: 'managed_recipes',
  noun: 'managed recipe',
  prefix: idPrefixes.recipe,
  owner: managedRulebookAccess,
  entries: ({ recipes }) => recipes,
  current: ({ recipes }, id) => recipes.get(id)?.current,
  pick: pickManagedRecipeContent,
  checksUnchanged: true,
  problems: (state, _, content) => [
    ...findThresholdProblems(content),
    ...content.parameters.flatMap(findParameterProblems),
    ...findRuleProblems(state, content),
    ...findManagedPatternProblems(
      'rules',
      content.rules.flatMap(({ rule_id }) => state.rules.get(rule_id)?.current ?? []),
    ),
  ],
  assertRoom: ({ recipes }) => assertManagedLimit(recipes.size),
  versionEvent: (change, id, recipe) => ({
    type: `ManagedRecipe${change}`,
    data: { recipe_id: id, ...recipe },
  }),
  retiredEvent: (id) => ({ type: 'ManagedRecipeRetired', data: { recipe_id: id } }),
  inUse: {
    code: 'recipe_in_use',
    message: 'The recipe is still extended and cannot be deleted; details names recipes.',
    users: () => [],
  },
  publish: (_, publishing, { parameters = [], ...input }) => {
    const texts = parameters.map((parameter) => ({
      ...parameter,
      default_value: `${parameter.default_value}`,
    }))
    const recipe = { ...input, ...publishing, parameters: texts }
    return (state) => decidePublication(managedRecipeDefinition, state, recipe)
  },
  retire: async (context, id) => {
    const otherUsers = await findReferringRecipes(context, 'recipes', id)
    return (state) => decideDeletion(managedRecipeDefinition, state, { id, otherUsers })
  },
  restore: (context, version) => prepareRestoration(context, version, managedRecipeDefinition),
  view: (state, id): ManagedRecipeView | undefined => {
    const recipe = state.recipes.get(id)?.current
    return recipe && { id, ...pickManagedRecipeContent(recipe), version_id: recipe.version_id }
  },
  warnings: (context, state, { id }) => {
    const base = state.recipes.get(id)?.current
    if (!base) return []
    // as it runs where nobody has set its parameters
    const bindings = bindParameterValues(base.parameters)
    const rules = outlineBase(state, { base, inForce: true, bindings })
    return runInSlices(context, findRecipeWarnings({ threshold: base.threshold, rules }))
  },
}

function findThresholdProblems(content: ManagedRecipeContent): readonly FailureDetail[] {
  const { min, max } = content.threshold_bounds
  if (min > max) return [{ path: 'threshold_bounds', message: 'The min is above the max.' }]
  if (content.threshold >= min && content.threshold <= max) return []
  return [{ path: 'threshold', message: `Must be from ${min} to ${max}.` }]
}

function findParameterProblems(
  parameter: RecipeParameter,
  index: number,
  all: readonly RecipeParameter[],
): readonly FailureDetail[] {
  const { type, default_value, values } = parameter
  const problems = {
    name: findDuplicateNameProblem(parameter, index, all),
    value_min: findBoundsProblem(parameter),
    values:
      (type === 'ENUM') === (values !== undefined)
        ? undefined
        : 'A parameter has values when it is an ENUM, and only then.',
    default_value: findParameterProblem(parameter, default_value),
  }
  return Object.entries(problems).flatMap(([field, message]) =>
    message === undefined ? [] : [{ path: `parameters.${index}.${field}`, message }],
  )
}

function findBoundsProblem({ type, value_min, value_max }: RecipeParameter): string | undefined {
  if (value_min === undefined && value_max === undefined) return undefined
  if (type !== 'INT' && type !== 'DOUBLE') return 'Only numbers have bounds.'
  const crossed = value_min !== undefined && value_max !== undefined && value_min > value_max
  return crossed ? 'The min is above the max.' : undefined
}

function findRuleProblems(
  state: ManagedRulebook,
  { rules, parameters }: ManagedRecipeContent,
): readonly FailureDetail[] {
  const bindings = bindParameterValues(parameters)
  const problemOf = (ruleId: string, index: number): string | undefined => {
    if (rules.findIndex(({ rule_id }) => rule_id === ruleId) < index) {
      return 'The recipe names this rule twice.'
    }
    const rule = state.rules.get(ruleId)?.current
    if (!rule) return 'There is no managed rule with this id.'
    const lacking = findUnboundParameter(rule.parameters, bindings)
    return (
      lacking && `The rule reads the parameter ${lacking}, which the recipe does not declare so.`
    )
  }
  return rules.flatMap(({ rule_id }, index) => {
    const message = problemOf(rule_id, index)
    return message === undefined ? [] : [{ path: `rules.${index}.rule_id`, message }]
  })
}
