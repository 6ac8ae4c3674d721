/** Declares the response schema of an evaluation (spec 2.4 to 2.6). */

import { int64, optional, type Schema } from '../../domain/schema.ts'
import type { RecipeResult, RuleResult, Verdict } from '../../engine/run/result.ts'
import { type Fields, viewSchema } from '../request/schema/fields.ts'

export const verdictSchema: Schema = { type: 'string', enum: ['PASS', 'FLAG'] }

export const ruleResultFields = {
  rule_id: { type: 'string' },
  type: { type: 'string', enum: ['MANAGED', 'CUSTOM'] },
  name: optional({ type: 'string', description: 'Present for CUSTOM, omitted for MANAGED.' }),
  version_id: optional({ type: 'string', description: 'Present for CUSTOM, omitted for MANAGED.' }),
  weight: int64,
  outcome: {
    type: 'string',
    enum: ['TRIGGERED', 'NOT_TRIGGERED', 'NOT_EVALUATED', 'SKIPPED'],
  },
  blocked_by: optional({
    type: 'string',
    description: 'The missing signal or attribute; only with NOT_EVALUATED.',
  }),
  unavailable: optional({
    type: 'boolean',
    description: "True when the rule could not run for a reason on the service's side.",
  }),
} satisfies Fields<RuleResult>

/** All fields except the rules. */
export const recipeResultFields = {
  recipe_id: { type: 'string' },
  threshold: int64,
  score: { ...int64, minimum: 0, maximum: 100 },
  verdict: verdictSchema,
  partial_evidence: { type: 'boolean' },
  determined_by: optional({
    type: 'string',
    description: 'The rule that decided in place of the score.',
  }),
} satisfies Fields<Omit<RecipeResult, 'rules'>>

const recipeResult: Schema = viewSchema<RecipeResult>('RecipeResult', {
  ...recipeResultFields,
  rules: { type: 'array', items: viewSchema<RuleResult>('RuleResult', ruleResultFields) },
})

interface EvaluateResponse {
  readonly id: string
  readonly verdict: Verdict
  readonly recipes: readonly RecipeResult[]
}

export const evaluateResponseSchema: Schema = viewSchema<EvaluateResponse>('EvaluateResponse', {
  id: { type: 'string' },
  verdict: verdictSchema,
  recipes: { type: 'array', items: recipeResult },
})
