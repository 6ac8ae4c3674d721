/** Declares the schemas of rules, recipes, flows and the signal list. */

import type { FlowInput, FlowView } from '../../commands/rulebook/flows.ts'
import type { RecipeInput, RecipeView } from '../../commands/rulebook/recipes.ts'
import type { RuleInput, RuleView } from '../../commands/rulebook/rules.ts'
import { int64, limits, optional, type Schema } from '../../domain/schema.ts'
import { limits as ruleLimits } from '../../engine/language/limits.ts'
import { evidenceSources } from '../../engine/run/evidence.ts'
import type { SignalView } from '../../queries/rulebook/signals.ts'
import { type Fields, inputSchema, viewSchema } from '../request/schema/fields.ts'
import { resourceSchemas } from './resourceSchemas.ts'

const name: Schema = { type: 'string', minLength: 1, maxLength: limits.name }
const id: Schema = { type: 'string', minLength: 1, maxLength: limits.id }

export const ruleFields = {
  name,
  expression: {
    type: 'string',
    minLength: 1,
    maxLength: limits.expression,
    description: `A condition in the rule language; it must be true or false. Each of its patterns has a size of at most ${ruleLimits.patternSize}, all together of at most ${ruleLimits.rulePatterns}.`,
  },
} satisfies Fields<RuleInput>

type Membership = RecipeInput['rules'][number]

export const membershipFields = {
  rule_id: id,
  weight: int64,
  preempts: optional({
    type: 'string',
    enum: ['FLAG', 'PASS'],
    description: 'When the rule triggers, it sets the verdict.',
  }),
  version_id: optional({ ...id, description: 'Pins a version of the rule.' }),
} satisfies Fields<Membership>

export const recipeFields = {
  name,
  status: { type: 'string', enum: ['DRAFT', 'SHADOW', 'LIVE', 'INACTIVE'] },
  threshold: { ...int64, description: 'The score at or above which the recipe flags.' },
  rules: {
    type: 'array',
    maxItems: limits.rulesPerRecipe,
    items: inputSchema<Membership>('Membership', membershipFields),
    description: `Their patterns have a size of at most ${ruleLimits.recipePatterns} together.`,
  },
  base_recipe_id: optional({
    ...id,
    description: 'The managed recipe it extends: that one’s rules come first.',
  }),
  parameters: optional({
    type: 'object',
    maxProperties: limits.parameters,
    propertyNames: { minLength: 1, maxLength: limits.parameterName },
    additionalProperties: {
      type: ['string', 'number', 'boolean'],
      maxLength: limits.parameterValue,
    },
    description: 'Values of parameters of that recipe; answered as texts.',
  }),
} satisfies Fields<RecipeInput>

const flowFields = {
  name,
  recipes: {
    type: 'array',
    minItems: 1,
    maxItems: limits.recipesPerFlow,
    items: id,
    description: `The patterns of their rules have a size of at most ${ruleLimits.flowPatterns} together.`,
  },
} satisfies Fields<FlowInput>

const identity = { id: { type: 'string' }, version_id: { type: 'string' } }

export const ruleSchemas = resourceSchemas<RuleInput, RuleView>({
  title: 'Rule',
  plural: 'rules',
  input: ruleFields,
  view: { ...identity, ...ruleFields },
})

export const recipeSchemas = resourceSchemas<RecipeInput, RecipeView>({
  title: 'Recipe',
  plural: 'recipes',
  input: recipeFields,
  view: { ...identity, ...recipeFields },
})

export const flowSchemas = resourceSchemas<FlowInput, FlowView>({
  title: 'Flow',
  plural: 'flows',
  input: flowFields,
  view: { ...identity, ...flowFields },
})

export const signalListSchema: Schema = viewSchema<{ readonly signals: readonly SignalView[] }>(
  'SignalList',
  {
    signals: {
      type: 'array',
      items: viewSchema<SignalView>('ReadableSignal', {
        name: { type: 'string', description: 'As a rule writes it.' },
        type: { type: 'string', enum: ['bool', 'string', 'timestamp'] },
        meaning: { type: 'string' },
        sources: {
          type: 'array',
          items: { type: 'string', enum: evidenceSources },
          description: 'Where its value can come from; the first that has one wins.',
        },
        needs_dispatch: { type: 'boolean' },
      }),
    },
  },
)
