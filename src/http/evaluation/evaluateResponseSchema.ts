/** The answer of an evaluation (spec 2.4 to 2.6). */

import { answeredObject, int64, type Schema } from '../request/schema.ts'

export const verdictSchema: Schema = { type: 'string', enum: ['PASS', 'FLAG'] }

type Fields = Readonly<Record<string, Schema>>

const ruleFields: Fields = {
  rule_id: { type: 'string' },
  type: { type: 'string', enum: ['MANAGED', 'CUSTOM'] },
  name: { type: 'string', description: 'Present for CUSTOM, omitted for MANAGED.' },
  version_id: { type: 'string', description: 'Present for CUSTOM, omitted for MANAGED.' },
  weight: int64,
  outcome: {
    type: 'string',
    enum: ['TRIGGERED', 'NOT_TRIGGERED', 'NOT_EVALUATED', 'SKIPPED'],
  },
  blocked_by: { type: 'string', description: 'What was waited for; only with NOT_EVALUATED.' },
  unavailable: {
    type: 'boolean',
    description: "True when the rule could not run for a reason on the service's side.",
  },
}

const recipeFields: Fields = {
  recipe_id: { type: 'string' },
  threshold: int64,
  score: { ...int64, minimum: 0, maximum: 100 },
  verdict: verdictSchema,
  partial_evidence: { type: 'boolean' },
  determined_by: { type: 'string', description: 'The rule that decided in place of the score.' },
}

const recipeRequired = [
  'recipe_id',
  'threshold',
  'score',
  'verdict',
  'partial_evidence',
  'rules',
] as const

function rulesOf(title: string, more: Fields = {}): Schema {
  const required = ['rule_id', 'type', 'weight', 'outcome']
  return { type: 'array', items: answeredObject(title, { ...ruleFields, ...more }, required) }
}

const recipeResult: Schema = answeredObject(
  'RecipeResult',
  { ...recipeFields, rules: rulesOf('RuleResult') },
  recipeRequired,
)

export const nameSchema: Schema = {
  type: 'string',
  description: 'As it was in the version that ran; absent where there is none.',
}

/** The same for people: with what recipes and managed rules are called. */
export const namedRecipeResult: Schema = answeredObject(
  'NamedRecipeResult',
  {
    ...recipeFields,
    name: nameSchema,
    rules: rulesOf('NamedRuleResult', {
      description: { type: 'string', description: 'Of MANAGED rules, in the version that ran.' },
    }),
  },
  recipeRequired,
)

export const evaluateResponseSchema: Schema = answeredObject('EvaluateResponse', {
  id: { type: 'string' },
  verdict: verdictSchema,
  recipes: { type: 'array', items: recipeResult },
})
