/** Why a verdict came out as it did: for every rule what it read, and what each part of it gave. */

import type { ExplainedRecipe } from '../../engine/explain/explain.ts'
import { evidenceSources } from '../../engine/run/evidence.ts'
import type { Named } from '../../queries/evaluation/evaluationView.ts'
import { optional, viewSchema } from '../request/fields.ts'
import { referenceTo, type Schema } from '../request/schema.ts'
import { notCountedValue } from './evidenceSchemas.ts'
import { namedRecipeFields, namedRuleFields } from './namedSchemas.ts'

type Recipe = Named<ExplainedRecipe>
type Rule = Recipe['rules'][number]
type Read = NonNullable<Rule['reads']>[number]
type Part = NonNullable<Rule['parts']>

export const explainedRead: Schema = viewSchema<Read>('ExplainedRead', {
  name: { type: 'string' },
  use: { type: 'string', enum: ['read', 'has'] },
  convert: optional({
    type: 'string',
    description: 'The conversion that belongs to the reading.',
  }),
  needed: optional({
    type: 'boolean',
    const: false,
    description:
      'Present on a read that a guard of has kept the rule from: it did not wait for it.',
  }),
  arrived: { type: 'boolean' },
  value: optional({ type: ['string', 'boolean', 'number'] }),
  source: optional({ type: 'string', enum: evidenceSources }),
  not_counted: optional({
    type: 'array',
    items: notCountedValue,
    description: 'What was sent under the name and did not count; absent when nothing was.',
  }),
})

/** A tree, whose branches are of the same kind. */
export const expressionPart: Schema = viewSchema<Part>('ExpressionPart', {
  text: { type: 'string' },
  line: { type: 'integer' },
  column: { type: 'integer' },
  state: { type: 'string', enum: ['value', 'missing', 'failed', 'not_evaluated'] },
  value: optional({ description: 'What the part gave; times as text.' }),
  needed: optional({
    type: 'boolean',
    const: false,
    description: 'Present when the rule came to its result without this part.',
  }),
  parts: optional({ type: 'array', items: referenceTo('ExpressionPart') }),
})

const explainedRule: Schema = viewSchema<Rule>('ExplainedRule', {
  ...namedRuleFields,
  expression: optional({ type: 'string', description: 'The rule in canonical form.' }),
  reads: optional({ type: 'array', items: explainedRead }),
  parts: optional(expressionPart),
})

export const explainedRecipe: Schema = viewSchema<Recipe>('ExplainedRecipe', {
  ...namedRecipeFields,
  status: { type: 'string', enum: ['LIVE', 'SHADOW'] },
  rules: { type: 'array', items: explainedRule },
})
