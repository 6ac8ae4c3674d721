/** Many recorded evaluations, followed and counted. */

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

const count: Schema = { type: 'integer', minimum: 0 }
const time: Schema = { type: 'string', description: 'ISO 8601 UTC.' }

const outcome: Schema = answeredObject('ComparedOutcome', {
  recipe: verdictSchema,
  with: verdictSchema,
  partial_evidence: {
    type: 'boolean',
    description: 'Whether a rule of either recipe was not evaluated.',
  },
  evaluations: count,
  examples: {
    type: 'array',
    items: { type: 'string' },
    description: 'Ids of the newest evaluations.',
  },
})

export const comparisonSchema: Schema = answeredObject(
  'RecipeComparison',
  {
    recipe_id: { type: 'string' },
    with: { type: 'string' },
    from: time,
    to: time,
    scanned: {
      ...count,
      description: 'Evaluations that were looked at, the newest first; at most 20,000.',
    },
    agreements: count,
    differences: count,
    outcomes: { type: 'array', items: outcome },
    truncated: {
      type: 'boolean',
      description: 'True when there is more to look at; ask again with `cursor` and add up.',
    },
    next_cursor: { type: 'string', description: 'Present when truncated.' },
  },
  [
    'recipe_id',
    'with',
    'from',
    'to',
    'scanned',
    'agreements',
    'differences',
    'outcomes',
    'truncated',
  ],
)
