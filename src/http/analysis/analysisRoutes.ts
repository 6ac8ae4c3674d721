/** Questions over many recorded evaluations, all for the scope `analyse`. */

import type { Call, Seen } from '../../domain/call.ts'
import { idPrefixes } from '../../domain/ids.ts'
import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type { AnalysisPart } from '../../service/analysis/analysisPart.ts'
import { accountAccess } from '../request/access.ts'
import { seen } from '../request/answer.ts'
import { noBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import type { Route } from '../request/route.ts'
import { comparisonQuery, type EvaluationsQuery, evaluationsQuery } from './analysisQueries.ts'
import { evaluationListSchema } from './analysisSchemas.ts'
import { comparisonSchema } from './comparisonSchema.ts'

/** `/v2/watch/evaluations` and `…/recipes/{id}/comparison`. */
export function analysisRoutes(service: AccountsPart & AnalysisPart): readonly Route[] {
  const common = {
    method: 'GET',
    tag: 'Analysis',
    kind: 'read',
    access: accountAccess(service.authenticate, 'analyse'),
    body: noBody,
    failures: ['invalid_request'],
  } as const
  return [
    defineRoute({
      ...common,
      path: '/v2/watch/evaluations',
      operationId: 'listEvaluations',
      summary: 'Follow recorded evaluations in the order of the log, or search them',
      ids: {},
      query: evaluationsQuery,
      answers: { 200: { description: 'The evaluations.', schema: evaluationListSchema } },
      serve: async ({ call, query }) => {
        return seen(
          query.way === 'search'
            ? await searched(service, call, query)
            : await followed(service, call, query),
        )
      },
    }),
    defineRoute({
      ...common,
      path: '/v2/watch/management/recipes/{id}/comparison',
      operationId: 'compareRecipes',
      summary: 'Count where two recipes agreed in the evaluations in which both ran',
      ids: { id: idPrefixes.recipe },
      query: comparisonQuery,
      answers: { 200: { description: 'The comparison.', schema: comparisonSchema } },
      serve: async ({ call, ids, query }) =>
        seen(await service.compareRecipes(call, ids.id, query)),
    }),
  ]
}

async function searched(
  { searchEvaluations }: AnalysisPart,
  call: Call,
  { way: _, ...asked }: Extract<EvaluationsQuery, { way: 'search' }>,
): Promise<Seen<object>> {
  const { value, position } = await searchEvaluations(call, asked)
  return { value: { evaluations: value.items, next_cursor: value.nextCursor }, position }
}

async function followed(
  { listEvaluations }: AnalysisPart,
  call: Call,
  { way: _, ...asked }: Extract<EvaluationsQuery, { way: 'follow' }>,
): Promise<Seen<object>> {
  const { value, position } = await listEvaluations(call, asked)
  const { items, nextAfter, nextBefore } = value
  return { value: { evaluations: items, next_after: nextAfter, next_before: nextBefore }, position }
}
