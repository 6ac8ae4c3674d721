/** Declares the response schemas of evidence, explanations and named results. */

import { count, optional, type Schema } from '../../domain/schema.ts'
import type { ExplainedRecipe } from '../../engine/explain/explain.ts'
import { evidenceSources, type NotCounted, notCountedReasons } from '../../engine/run/evidence.ts'
import type { RecipeResult } from '../../engine/run/result.ts'
import type {
  EvidenceView,
  Named,
  NotCountedView,
} from '../../queries/evaluation/evaluationView.ts'
import { type Fields, viewSchema } from '../request/schema/fields.ts'
import { recipeResultFields, ruleResultFields } from './evaluateResponseSchema.ts'

/** A reference to the response schema of this title, for recursive schemas. */
export function referenceTo(title: string): Schema {
  return { $ref: `#/components/schemas/${title}` }
}

type Recipe = Named<RecipeResult>
type Rule = Recipe['rules'][number]

export const nameSchema: Schema = {
  type: 'string',
  description: 'Name in the version that ran; absent where there is none.',
}

const namedRuleFields = {
  ...ruleResultFields,
  description: optional({
    type: 'string',
    description: 'For MANAGED rules, in the version that ran.',
  }),
} satisfies Fields<Rule>

const namedRecipeFields = {
  ...recipeResultFields,
  name: optional(nameSchema),
} satisfies Fields<Omit<Recipe, 'rules'>>

export const namedRecipeResult: Schema = viewSchema<Recipe>('NamedRecipeResult', {
  ...namedRecipeFields,
  rules: { type: 'array', items: viewSchema<Rule>('NamedRuleResult', namedRuleFields) },
})

const name: Schema = {
  type: 'string',
  description: 'Name used in rules: signal.ip, target.phone_number, …',
}

export const evidenceItem: Schema = viewSchema<EvidenceView>('EvidenceItem', {
  name,
  value: { type: ['string', 'boolean', 'number'] },
  source: { type: 'string', enum: evidenceSources },
  revision: optional({
    ...count,
    description: 'For list answers: the log position up to which the list was read.',
  }),
})

type Sent = Omit<NotCounted, 'name'>

const sent = {
  value: { type: ['string', 'boolean'], description: 'The value as sent; never empty.' },
  source: { type: 'string', enum: ['request', 'dispatch'] },
  reason: {
    type: 'string',
    enum: [...notCountedReasons],
    description:
      'needs_dispatch: signals of the device and the network count only with a dispatch. dispatch_value_wins: the dispatch brought another value. trusted_user_not_agreed: the operator has not agreed is_trusted_user with the account. front_end_cannot_vouch: the caller’s own word counts from the request alone. address_not_public: a private, loopback or link-local address. unknown_field: the service knows no field of this name.',
  },
} satisfies Fields<Sent>

/** A signal that was sent but not used as evidence. */
export const notCountedSignal: Schema = viewSchema<NotCountedView>('NotCountedSignal', {
  name: { ...name, description: 'Name used in rules; for an unknown field its path.' },
  ...sent,
  suggestion: optional({
    type: 'string',
    description: 'The field that was most likely meant by an unknown one.',
  }),
})

/** The same below its name. */
const notCountedValue: Schema = viewSchema<Sent>('NotCountedValue', sent)

type Explained = Named<ExplainedRecipe>
type ExplainedRule = Explained['rules'][number]
type Read = NonNullable<ExplainedRule['reads']>[number]
type Part = NonNullable<ExplainedRule['parts']>

export const explainedRead: Schema = viewSchema<Read>('ExplainedRead', {
  name: { type: 'string' },
  use: { type: 'string', enum: ['read', 'has'] },
  convert: optional({
    type: 'string',
    description: 'The conversion applied to the value read.',
  }),
  needed: optional({
    type: 'boolean',
    const: false,
    description: 'Present on a read that a guard with has() made unnecessary.',
  }),
  arrived: { type: 'boolean' },
  value: optional({ type: ['string', 'boolean', 'number'] }),
  source: optional({ type: 'string', enum: evidenceSources }),
  not_counted: optional({
    type: 'array',
    items: notCountedValue,
    description: 'Values sent under the name that did not count; absent when there were none.',
  }),
})

/** A tree, whose branches are of the same kind. */
export const expressionPart: Schema = viewSchema<Part>('ExpressionPart', {
  text: { type: 'string' },
  line: { type: 'integer' },
  column: { type: 'integer' },
  state: { type: 'string', enum: ['value', 'missing', 'failed', 'not_evaluated'] },
  value: optional({ description: 'The value of the part; times as text.' }),
  needed: optional({
    type: 'boolean',
    const: false,
    description: 'Present when the result did not need this part.',
  }),
  parts: optional({ type: 'array', items: referenceTo('ExpressionPart') }),
})

const explainedRule: Schema = viewSchema<ExplainedRule>('ExplainedRule', {
  ...namedRuleFields,
  expression: optional({ type: 'string', description: 'The rule in canonical form.' }),
  reads: optional({ type: 'array', items: explainedRead }),
  parts: optional(expressionPart),
})

export const explainedRecipe: Schema = viewSchema<Explained>('ExplainedRecipe', {
  ...namedRecipeFields,
  status: { type: 'string', enum: ['LIVE', 'SHADOW'] },
  rules: { type: 'array', items: explainedRule },
})
