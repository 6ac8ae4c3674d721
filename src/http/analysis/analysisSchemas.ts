/** Many recorded evaluations, followed. */

import type { WatchedEvaluation } from '../../service/analysis/analysisPart.ts'
import { verdictSchema } from '../evaluation/evaluateResponseSchema.ts'
import { nameSchema } from '../evaluation/namedSchemas.ts'
import { optional, viewSchema } from '../request/fields.ts'
import { int64, type Schema, timeText } from '../request/schema.ts'

const watchedRecipe: Schema = viewSchema<WatchedEvaluation['recipes'][number]>('WatchedRecipe', {
  recipe_id: { type: 'string' },
  name: optional(nameSchema),
  verdict: verdictSchema,
  score: int64,
  partial_evidence: { type: 'boolean' },
})

const watchedEvaluation: Schema = viewSchema<WatchedEvaluation>('WatchedEvaluation', {
  id: { type: 'string' },
  flow_id: { type: 'string' },
  flow_name: optional(nameSchema),
  evaluated_at: { ...timeText, description: 'ISO 8601 UTC; the clock that the rules saw.' },
  verdict: verdictSchema,
  position: { type: 'string', description: 'Its place in the log.' },
  recipes: { type: 'array', items: watchedRecipe },
  shadow_recipes: { type: 'array', items: watchedRecipe },
})

interface EvaluationList {
  readonly evaluations: readonly WatchedEvaluation[]
  readonly next_after: string
  readonly next_before?: string
}

export const evaluationListSchema: Schema = viewSchema<EvaluationList>('EvaluationList', {
  evaluations: { type: 'array', items: watchedEvaluation },
  next_after: {
    type: 'string',
    description: 'The position to go on behind, also when nothing was found.',
  },
  next_before: optional({
    type: 'string',
    description: 'Where the last ones were asked for: the position before which older ones lie.',
  }),
})
