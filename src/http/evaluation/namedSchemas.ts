/** Results for people: with what recipes and managed rules are called. */

import type { RecipeResult } from '../../engine/run/result.ts'
import type { Named } from '../../queries/evaluation/evaluationView.ts'
import { type Fields, optional, viewSchema } from '../request/fields.ts'
import type { Schema } from '../request/schema.ts'
import { recipeResultFields, ruleResultFields } from './evaluateResponseSchema.ts'

type Recipe = Named<RecipeResult>
type Rule = Recipe['rules'][number]

export const nameSchema: Schema = {
  type: 'string',
  description: 'As it was in the version that ran; absent where there is none.',
}

export const namedRuleFields = {
  ...ruleResultFields,
  description: optional({
    type: 'string',
    description: 'Of MANAGED rules, in the version that ran.',
  }),
} satisfies Fields<Rule>

export const namedRecipeFields = {
  ...recipeResultFields,
  name: optional(nameSchema),
} satisfies Fields<Omit<Recipe, 'rules'>>

export const namedRecipeResult: Schema = viewSchema<Recipe>('NamedRecipeResult', {
  ...namedRecipeFields,
  rules: { type: 'array', items: viewSchema<Rule>('NamedRuleResult', namedRuleFields) },
})
