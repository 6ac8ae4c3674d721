/** Declares the routes for the evaluation list and search, and the comparison of two recipes. */

import type { Call, Seen } from '../../domain/call.ts'
import { confidences } from '../../domain/evaluation/feedback.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { int64, optional, type Schema, timeText } from '../../domain/schema.ts'
import {
  type FollowedEvaluation,
  type FollowingReport,
  listNamedEvaluations,
  searchNamedEvaluations,
  type WatchedEvaluation,
} from '../../queries/analysis/namedEvaluations.ts'
import { comparisonSchema, findComparison } from '../../queries/analysis/recipeComparison.ts'
import { verdictSchema } from '../evaluation/evaluateResponseSchema.ts'
import { nameSchema } from '../evaluation/explanationSchemas.ts'
import { seen } from '../request/answer.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { accountAccess, type Route, type Served } from '../request/route.ts'
import { viewSchema } from '../request/schema/fields.ts'
import { comparisonQuery, type EvaluationsQuery, evaluationsQuery } from './analysisQueries.ts'

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

const listedEvaluation: Schema = viewSchema<ListedEvaluation>('ListedEvaluation', {
  id: { type: 'string' },
  flow_id: { type: 'string' },
  flow_name: optional(nameSchema),
  evaluated_at: { ...timeText, description: 'ISO 8601 UTC; the clock that the rules saw.' },
  verdict: verdictSchema,
  position: { type: 'string', description: 'Position in the log.' },
  recipes: { type: 'array', items: watchedRecipe },
  shadow_recipes: { type: 'array', items: watchedRecipe },
  followed_by: optional({
    type: 'array',
    items: report,
    description: 'In searches: the last report of each kind on the target after the evaluation.',
  }),
  followed_by_more: optional({
    const: true,
    description: 'More kinds may have been reported: the last hundred of a target are kept.',
  }),
  forgotten: optional({ const: true, description: 'In searches: the end user has been erased.' }),
})

const evaluationListSchema: Schema = viewSchema<EvaluationList>('EvaluationList', {
  evaluations: { type: 'array', items: listedEvaluation },
  next_after: optional({
    type: 'string',
    description:
      'When following the log: the position for the next page, also when nothing was found.',
  }),
  next_before: optional({
    type: 'string',
    description: 'For the newest: the position before which older ones are.',
  }),
  next_cursor: optional({
    type: 'string',
    description: 'For searches with more results; also after a page that is not full.',
  }),
})

/** `/v2/watch/evaluations` and `…/recipes/{id}/comparison`. */
export function analysisRoutes({ authenticate, context }: Served): readonly Route[] {
  const common = {
    method: 'GET',
    tag: 'Analysis',
    kind: 'read',
    access: accountAccess(authenticate, 'analyse'),
    failures: ['invalid_request'],
  } as const
  return [
    defineRoute({
      ...common,
      path: '/v2/watch/evaluations',
      operationId: 'listEvaluations',
      summary: 'Follow recorded evaluations in the order of the log, or search them',
      query: evaluationsQuery,
      answers: { 200: { description: 'The evaluations.', schema: evaluationListSchema } },
      serve: async ({ call, query }) => {
        return seen(
          query.way === 'search'
            ? await searched(context, call, query)
            : await followed(context, call, query),
        )
      },
    }),
    defineRoute({
      ...common,
      path: '/v2/watch/management/recipes/{id}/comparison',
      operationId: 'compareRecipes',
      summary: 'Compare the verdicts of two recipes in the evaluations that ran both',
      ids: { id: idPrefixes.recipe },
      query: comparisonQuery,
      answers: { 200: { description: 'The comparison.', schema: comparisonSchema } },
      serve: async ({ call, ids, query }) =>
        seen(await findComparison(context, call, { recipeId: ids.id, ...query })),
    }),
  ]
}

async function searched(
  context: Served['context'],
  call: Call,
  { way: _, ...asked }: Extract<EvaluationsQuery, { way: 'search' }>,
): Promise<Seen<object>> {
  const { value, position } = await searchNamedEvaluations(context, call, asked)
  return { value: { evaluations: value.items, next_cursor: value.nextCursor }, position }
}

async function followed(
  context: Served['context'],
  call: Call,
  { way: _, ...asked }: Extract<EvaluationsQuery, { way: 'follow' }>,
): Promise<Seen<object>> {
  const { value, position } = await listNamedEvaluations(context, call, asked)
  const { items, nextAfter, nextBefore } = value
  return { value: { evaluations: items, next_after: nextAfter, next_before: nextBefore }, position }
}

/** What was reported afterwards is said where it was asked for: by a search. */
type ListedEvaluation = WatchedEvaluation & Partial<FollowedEvaluation>

interface EvaluationList {
  readonly evaluations: readonly ListedEvaluation[]
  readonly next_after?: string
  readonly next_before?: string
  readonly next_cursor?: string
}
