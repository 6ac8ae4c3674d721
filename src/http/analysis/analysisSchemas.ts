/** Many recorded evaluations, followed. */

import { nameSchema, verdictSchema } from '../evaluation/evaluateResponseSchema.ts'
import { answeredObject, int64, type Schema } from '../request/schema.ts'

const watchedRecipe: Schema = answeredObject(
  'WatchedRecipe',
  {
    recipe_id: { type: 'string' },
    name: nameSchema,
    verdict: verdictSchema,
    score: int64,
    partial_evidence: { type: 'boolean' },
  },
  ['recipe_id', 'verdict', 'score', 'partial_evidence'],
)

const watchedFields: Readonly<Record<string, Schema>> = {
  id: { type: 'string' },
  flow_id: { type: 'string' },
  evaluated_at: { type: 'string', description: 'ISO 8601 UTC; the clock that the rules saw.' },
  verdict: verdictSchema,
  position: { type: 'string', description: 'Its place in the log.' },
  recipes: { type: 'array', items: watchedRecipe },
  shadow_recipes: { type: 'array', items: watchedRecipe },
}

export const evaluationListSchema: Schema = answeredObject('EvaluationList', {
  evaluations: {
    type: 'array',
    items: answeredObject(
      'WatchedEvaluation',
      { ...watchedFields, flow_name: nameSchema },
      Object.keys(watchedFields),
    ),
  },
  next_after: {
    type: 'string',
    description: 'The position to go on behind, also when nothing was found.',
  },
})
