/** A recorded evaluation, and what computing it again gives. */

import type { Replay } from '../../service/evaluation/evaluationPart.ts'
import type { EvaluationView } from '../../service/evaluation/evaluationView.ts'
import { optional, viewSchema } from '../request/fields.ts'
import { type Schema, timeText } from '../request/schema.ts'
import { verdictSchema } from './evaluateResponseSchema.ts'
import { evidenceItem, notCountedSignal } from './evidenceSchemas.ts'
import { explainedRecipe } from './explanationSchemas.ts'
import { namedRecipeResult, nameSchema } from './namedSchemas.ts'

type Plan = EvaluationView['plan']

/** What has been erased together with the person it was about. */
const forgotten: Schema = viewSchema<{ readonly forgotten: true }>('Forgotten', {
  forgotten: { const: true },
})

const pin: Schema = viewSchema<Plan['recipes'][number]>('RecipePin', {
  recipe_id: { type: 'string' },
  version_id: { type: 'string' },
  status: { type: 'string', enum: ['LIVE', 'SHADOW'] },
})

export const evaluationSchema: Schema = viewSchema<EvaluationView>('Evaluation', {
  id: { type: 'string' },
  flow_id: { type: 'string' },
  flow_name: optional(nameSchema),
  flow_version_id: { type: 'string' },
  evaluated_at: { ...timeText, description: 'ISO 8601 UTC; the clock that the rules saw.' },
  verdict: verdictSchema,
  recipes: { type: 'array', items: namedRecipeResult },
  shadow_recipes: { type: 'array', items: namedRecipeResult },
  dispatch: { type: 'string', enum: ['none', 'found', 'expired', 'unknown'] },
  correlation_id: optional({
    type: 'string',
    description: 'Of a prediction that was sent with one.',
  }),
  evidence: { anyOf: [{ type: 'array', items: evidenceItem }, forgotten] },
  not_counted: {
    anyOf: [{ type: 'array', items: notCountedSignal }, forgotten],
    description: 'Signals that were sent and did not count.',
  },
  explanation: { anyOf: [{ type: 'array', items: explainedRecipe }, forgotten] },
  plan: viewSchema<Plan>('PlanPins', {
    digest: { type: 'string' },
    recipes: { type: 'array', items: pin },
  }),
  semantics_version: { type: 'integer' },
  result_hash: { type: 'string', description: 'SHA-256 of the answered body, hexadecimal.' },
  position: { type: 'string' },
  as_of: {
    type: 'string',
    description:
      'Position up to which the log was known when the evidence was gathered; of what came later it may say nothing.',
  },
})

const difference: Schema = viewSchema<Replay['differences'][number]>('ReplayDifference', {
  path: { type: 'string' },
  recorded: optional({ description: 'Absent when the record has nothing at the path.' }),
  recomputed: optional({ description: 'Absent when the computation gave nothing at the path.' }),
})

export const replaySchema: Schema = viewSchema<Replay>('Replay', {
  result: { type: 'string', enum: ['MATCH', 'MISMATCH'] },
  differences: { type: 'array', items: difference },
})
