/** Declares the routes for the evaluation list and search, and the comparison of two recipes. */

import { idPrefixes } from '../../domain/ids.ts'
import {
  evaluationListSchema,
  listNamedEvaluations,
  searchNamedEvaluations,
} from '../../queries/analysis/namedEvaluations.ts'
import { comparisonSchema, findComparison } from '../../queries/analysis/recipeComparison.ts'
import { seen, seenPage } from '../request/answer.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { accountAccess, type Route } from '../request/route.ts'
import { comparisonQuery, evaluationsQuery } from './analysisQueries.ts'

const common = {
  method: 'GET',
  tag: 'Analysis',
  kind: 'read',
  access: accountAccess('analyse'),
  failures: ['invalid_request'],
} as const

/** `/v2/watch/evaluations` and `…/recipes/{id}/comparison`. */
export const analysisRoutes: readonly Route[] = [
  defineRoute({
    ...common,
    path: '/v2/watch/evaluations',
    operationId: 'listEvaluations',
    summary: 'Follow recorded evaluations in the order of the log, or search them',
    query: evaluationsQuery,
    answers: { 200: { description: 'The evaluations.', schema: evaluationListSchema } },
    serve: async ({ context, call, query }) => {
      return 'order' in query
        ? seenPage('evaluations', await searchNamedEvaluations(context, call, query))
        : seen(await listNamedEvaluations(context, call, query))
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
    serve: async ({ context, call, ids, query }) =>
      seen(await findComparison(context, call, { recipeId: ids.id, ...query })),
  }),
]
