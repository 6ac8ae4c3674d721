/** Declares the routes for evaluation lists, the comparison of recipes, and the usage of a rule. */

import { idPrefixes } from '../../domain/ids.ts'
import {
  evaluationListSchema,
  listEvaluations,
  searchEvaluations,
} from '../../queries/analysis/evaluationSearch.ts'
import { comparisonSchema, findComparison } from '../../queries/analysis/recipeComparison.ts'
import { findUsageOfRule, ruleUsageSchema } from '../../queries/analysis/ruleUsage.ts'
import { accountAccess } from '../request/access.ts'
import { pageAnswer } from '../request/answer.ts'
import { minPositionQuery } from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { comparisonQuery, evaluationsQuery } from './analysisQueryReaders.ts'

const common = {
  method: 'GET',
  tag: 'Analysis',
  access: accountAccess('analyse'),
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
    serve: ({ context, call, query }) => {
      return 'order' in query
        ? pageAnswer('evaluations', searchEvaluations(context, call, query))
        : listEvaluations(context, call, query)
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
    serve: ({ context, call, ids, query }) =>
      findComparison(context, call, { recipeId: ids.id, ...query }),
  }),
]

/** `GET /v2/watch/management/rules/{id}/usage`. */
export const ruleUsageRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v2/watch/management/rules/{id}/usage',
    operationId: 'getRuleUsage',
    summary: 'Show the recipes and flows that use a rule, and its outcomes of the last seven days',
    tag: 'Authoring',
    access: accountAccess('author'),
    ids: { id: idPrefixes.rule },
    query: minPositionQuery,
    answers: { 200: { description: 'The usage.', schema: ruleUsageSchema } },
    failures: ['access_not_enabled'],
    serve: ({ context, call, ids, query }) =>
      findUsageOfRule(context, call, { ruleId: ids.id, ...query }),
  }),
]
