/** Declares the route that exports recorded evaluations. */

import { exportEvaluations } from '../../queries/analysis/exportEvaluations.ts'
import type { ConcurrencyLimit } from '../lists/listLimits.ts'
import { ownScopeAccess } from '../request/access.ts'
import { buildTimeRangeReader } from '../request/filterParameters.ts'
import {
  choiceParameter,
  minPositionParameter,
  textParameter,
  withFallback,
} from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { scanParameters } from './scanAnswer.ts'
import { checkFormat, describeTable, streamTable, tableParameters } from './tableFormats.ts'

const exportQuery = checkFormat(
  buildTimeRangeReader({
    ...scanParameters,
    order: withFallback(
      choiceParameter('order', ['newest', 'oldest'], 'Sort order by time.'),
      'oldest',
    ),
    columns: withFallback(
      textParameter(
        'columns',
        'Names as in `where`, and `labels`, `rules` and `forgotten`; separated by commas. `id` and `evaluated_at` are in every row.',
        2_048,
      ),
      'flow,verdict,recipe,score,threshold',
    ),
    ...tableParameters,
    minPosition: minPositionParameter,
  }),
)

const exampleCsv =
  'id,evaluated_at,verdict,score\r\nevl_01j9z3k4m5n6p7q8r9s0t1v2w3,2026-11-21T09:30:00.000Z,FLAG,80;20\r\n'

/** `/v2/watch/evaluations/export`. */
export function scanRoutes(longAnswers: ConcurrencyLimit): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      tag: 'Analysis',
      access: ownScopeAccess('analyse'),
      path: '/v2/watch/evaluations/export',
      operationId: 'exportEvaluations',
      summary: 'Export recorded evaluations that fulfil conditions, with chosen columns',
      query: exportQuery,
      answers: { 200: describeTable('evaluation', exampleCsv) },
      serve: ({ context, call, query }) =>
        streamTable(
          longAnswers,
          { call, query, ...(/(?:target|signal)\./.test(query.columns) && { persons: 'unnamed' }) },
          (signal) => exportEvaluations(context, call, { ...query, signal }),
        ),
    }),
  ]
}
