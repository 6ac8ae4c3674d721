/** Many recorded evaluations, followed. */

import { confidences } from '../../domain/feedback.ts'
import type {
  FollowedEvaluation,
  FollowingReport,
  WatchedEvaluation,
} from '../../service/analysis/analysisPart.ts'
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

const report: Schema = viewSchema<FollowingReport>('FollowingReport', {
  kind: { type: 'string', enum: ['feedback', 'event'] },
  name: { type: 'string', description: 'The type of the feedback, or the label of the event.' },
  confidence: optional({ type: 'string', enum: confidences }),
  last_reported_at: timeText,
})

/** What was reported afterwards is said where it was asked for: by a search. */
type ListedEvaluation = WatchedEvaluation & Partial<FollowedEvaluation>

const listedEvaluation: Schema = viewSchema<ListedEvaluation>('ListedEvaluation', {
  id: { type: 'string' },
  flow_id: { type: 'string' },
  flow_name: optional(nameSchema),
  evaluated_at: { ...timeText, description: 'ISO 8601 UTC; the clock that the rules saw.' },
  verdict: verdictSchema,
  position: { type: 'string', description: 'Its place in the log.' },
  recipes: { type: 'array', items: watchedRecipe },
  shadow_recipes: { type: 'array', items: watchedRecipe },
  followed_by: optional({
    type: 'array',
    items: report,
    description:
      'Of a search: what was reported of its target after it, the last report of each kind; empty for nothing.',
  }),
  followed_by_more: optional({
    const: true,
    description: 'More kinds may have been reported: of a target the last hundred are remembered.',
  }),
  forgotten: optional({ const: true, description: 'Of a search: the end user was erased since.' }),
})

interface EvaluationList {
  readonly evaluations: readonly ListedEvaluation[]
  readonly next_after?: string
  readonly next_before?: string
  readonly next_cursor?: string
}

export const evaluationListSchema: Schema = viewSchema<EvaluationList>('EvaluationList', {
  evaluations: { type: 'array', items: listedEvaluation },
  next_after: optional({
    type: 'string',
    description:
      'Where the log is followed: the position to go on behind, also when nothing was found.',
  }),
  next_before: optional({
    type: 'string',
    description: 'Where the last ones were asked for: the position before which older ones lie.',
  }),
  next_cursor: optional({
    type: 'string',
    description:
      'Of a search that may find more; also behind a page that is not full: so much was looked at.',
  }),
})
