/** Declares the schemas of managed rules and recipes, for the operator and for accounts. */

import type {
  ManagedRecipeInput,
  ManagedRecipeView,
  RecipeParameterInput,
} from '../../commands/rulebook/managed/managedRecipes.ts'
import type {
  ManagedRuleInput,
  ManagedRuleView,
} from '../../commands/rulebook/managed/managedRules.ts'
import { int64, limits, optional, pageSchema, type Schema } from '../../domain/schema.ts'
import type { OfferedRecipeView, OfferedRuleView } from '../../queries/rulebook/resources.ts'
import { type Fields, inputSchema, viewSchema } from '../request/schema/fields.ts'
import { membershipFields, ruleFields } from './authoringSchemas.ts'
import { resourceSchemas } from './resourceSchemas.ts'

const identity = { id: { type: 'string' }, version_id: { type: 'string' } }

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
  items: inputSchema<ManagedRuleView['parameters'][number]>('RuleParameter', {
    name: parameterName,
    type: { type: 'string', enum: ['BOOL', 'INT', 'DOUBLE', 'STRING'] },
  }),
}

export const managedRuleSchemas = resourceSchemas<ManagedRuleInput, ManagedRuleView>({
  title: 'ManagedRule',
  plural: 'rules',
  input: { ...ruleFields, description, parameters: optional(ruleParameters) },
  view: { ...identity, ...ruleFields, description, parameters: ruleParameters },
})

export const offeredRulePage: Schema = pageSchema(
  'OfferedRulePage',
  'rules',
  viewSchema<OfferedRuleView>('OfferedRule', {
    id: identity.id,
    type: { const: 'MANAGED' },
    description: { type: 'string' },
  }),
)

const recipeParameterFields = {
  name: parameterName,
  type: { type: 'string', enum: ['BOOL', 'INT', 'DOUBLE', 'STRING', 'ENUM'] },
  default_value: {
    type: ['string', 'number', 'boolean'],
    maxLength: limits.parameterValue,
    description: 'Answered as text.',
  },
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
} satisfies Fields<RecipeParameterInput>

type Bounds = ManagedRecipeView['threshold_bounds']
type Member = ManagedRecipeView['rules'][number]

const bounds = { min: int64, max: int64 } satisfies Fields<Bounds>
const { version_id: _, ...memberFields } = membershipFields

const rules: Schema = {
  type: 'array',
  maxItems: limits.rulesPerManagedRecipe,
  items: inputSchema<Member>('ManagedMembership', memberFields),
}

/** What customers are told of a managed recipe. */
const offered = {
  description: { type: 'string' },
  threshold: int64,
  threshold_bounds: viewSchema<Bounds>('ThresholdBounds', bounds),
  parameters: {
    type: 'array',
    items: viewSchema<ManagedRecipeView['parameters'][number]>(
      'RecipeParameter',
      recipeParameterFields,
    ),
  },
} satisfies Fields<Omit<OfferedRecipeView, 'id'>>

export const managedRecipeSchemas = resourceSchemas<ManagedRecipeInput, ManagedRecipeView>({
  title: 'ManagedRecipe',
  plural: 'recipes',
  input: {
    name: optional(ruleFields.name),
    description,
    threshold: int64,
    threshold_bounds: inputSchema<Bounds>('ThresholdBoundsInput', bounds),
    parameters: optional({
      type: 'array',
      maxItems: limits.parameters,
      items: inputSchema<RecipeParameterInput>('RecipeParameterInput', recipeParameterFields),
    }),
    rules,
  },
  view: { ...identity, name: optional(ruleFields.name), ...offered, rules },
})

export const offeredRecipePage: Schema = pageSchema(
  'OfferedRecipePage',
  'recipes',
  viewSchema<OfferedRecipeView>('OfferedRecipe', { id: identity.id, ...offered }),
)
