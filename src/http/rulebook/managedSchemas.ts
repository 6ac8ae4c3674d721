/** Managed rules and recipes as the operator writes them and as customers see them. */

import { answeredObject, int64, limits, type Schema, strictObject } from '../request/schema.ts'
import {
  membershipFields,
  pageSchema,
  type ResourceSchemas,
  ruleFields,
  versionPageSchema,
} from './authoringSchemas.ts'

const description: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: limits.text,
  description: 'What customers read.',
}
const parameterName: Schema = {
  type: 'string',
  pattern: '^[a-z][a-z0-9_]*$',
  maxLength: limits.parameterName,
  description: 'Read as param.<name>.',
}

const ruleParameters: Schema = {
  type: 'array',
  maxItems: limits.parameters,
  description:
    'What the expression reads as param.<name>; a recipe that has the rule declares them.',
  items: {
    title: 'RuleParameter',
    ...strictObject(
      {
        name: parameterName,
        type: { type: 'string', enum: ['BOOL', 'INT', 'DOUBLE', 'STRING'] },
      },
      ['name', 'type'],
    ),
  },
}

const recipeParameterFields = {
  name: parameterName,
  type: { type: 'string', enum: ['BOOL', 'INT', 'DOUBLE', 'STRING', 'ENUM'] },
  default_value: {
    type: ['string', 'number', 'boolean'],
    maxLength: limits.parameterValue,
    description: 'Answered as text.',
  },
  value_min: { type: 'number' },
  value_max: { type: 'number' },
  values: {
    type: 'array',
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
    items: { type: 'string', maxLength: limits.parameterValue },
    description: 'What an ENUM may be.',
  },
}
const requiredOfParameter = ['name', 'type', 'default_value']

const bounds = { min: int64, max: int64 }
const { version_id: _, ...memberFields } = membershipFields

const recipeFields = {
  name: ruleFields.name,
  description,
  threshold: int64,
  threshold_bounds: { title: 'ThresholdBoundsInput', ...strictObject(bounds, ['min', 'max']) },
  parameters: {
    type: 'array',
    maxItems: limits.parameters,
    items: {
      title: 'RecipeParameterInput',
      ...strictObject(recipeParameterFields, requiredOfParameter),
    },
  },
  rules: {
    type: 'array',
    maxItems: limits.rulesPerManagedRecipe,
    items: { title: 'ManagedMembership', ...strictObject(memberFields, ['rule_id', 'weight']) },
  },
}

/** What customers are told of a managed recipe. */
const offered = {
  description: { type: 'string' },
  threshold: int64,
  threshold_bounds: answeredObject('ThresholdBounds', bounds),
  parameters: {
    type: 'array',
    items: answeredObject('RecipeParameter', recipeParameterFields, requiredOfParameter),
  },
}

const ids = { id: { type: 'string' }, version_id: { type: 'string' } }

const ruleContent = { ...ruleFields, description, parameters: ruleParameters }
const ruleView = answeredObject('ManagedRule', { ...ids, ...ruleContent })

export const managedRuleSchemas: ResourceSchemas = {
  input: {
    title: 'ManagedRuleInput',
    ...strictObject(ruleContent, ['name', 'description', 'expression']),
  },
  view: ruleView,
  page: pageSchema('ManagedRulePage', 'rules', ruleView),
  versions: versionPageSchema('ManagedRule', ruleContent, Object.keys(ruleContent)),
}

export const offeredRulePage: Schema = pageSchema(
  'OfferedRulePage',
  'rules',
  answeredObject('OfferedRule', {
    id: ids.id,
    type: { const: 'MANAGED' },
    description: { type: 'string' },
  }),
)

const recipeContent = { name: ruleFields.name, ...offered, rules: recipeFields.rules }
/** It may lack a name. */
const recipeRequired = [...Object.keys(offered), 'rules']
const recipeView = answeredObject('ManagedRecipe', { ...ids, ...recipeContent }, [
  ...Object.keys(ids),
  ...recipeRequired,
])

export const managedRecipeSchemas: ResourceSchemas = {
  input: {
    title: 'ManagedRecipeInput',
    ...strictObject(recipeFields, ['description', 'threshold', 'threshold_bounds', 'rules']),
  },
  view: recipeView,
  page: pageSchema('ManagedRecipePage', 'recipes', recipeView),
  versions: versionPageSchema('ManagedRecipe', recipeContent, recipeRequired),
}

export const offeredRecipePage: Schema = pageSchema(
  'OfferedRecipePage',
  'recipes',
  answeredObject('OfferedRecipe', { id: ids.id, ...offered }),
)
