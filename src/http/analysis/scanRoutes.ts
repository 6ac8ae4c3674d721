/** Declares the routes that scan recorded evaluations. */

import { exportEvaluations } from '../../queries/analysis/exportEvaluations.ts'
import { type ConcurrencyLimit, streamWithinLimit } from '../lists/listLimits.ts'
import { ownScopeAccess } from '../request/access.ts'
import { buildTimeRangeReader } from '../request/filterParameters.ts'
import {
  choiceParameter,
  minPositionParameter,
  numberParameter,
  textParameter,
  withFallback,
} from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { ndjsonType, scanParameters } from './scanAnswer.ts'

// `audit` is not enough: answers and conditions tell what persons have sent
const common = { method: 'GET', tag: 'Analysis', access: ownScopeAccess('analyse') } as const

const exportQuery = buildTimeRangeReader({
  ...scanParameters,
  order: withFallback(
    choiceParameter('order', ['newest', 'oldest'], 'Sort order by time.'),
    'oldest',
  ),
  columns: withFallback(
    textParameter(
      'columns',
      'Names as in `where`, and `labels`, `rules` and `forgotten`; separated by commas.',
      2_048,
    ),
    'flow,verdict,recipe,score,threshold',
  ),
  limit: numberParameter('limit', 'Rows at most; all unless given.', { min: 1 }),
  minPosition: minPositionParameter,
})

/** `/v2/watch/evaluations/export`. */
export function scanRoutes(longAnswers: ConcurrencyLimit): readonly Route[] {
  return [
    defineRoute({
      ...common,
      path: '/v2/watch/evaluations/export',
      operationId: 'exportEvaluations',
      summary: 'Export recorded evaluations that fulfil conditions, with chosen columns',
      query: exportQuery,
      answers: {
        200: {
          description: 'One evaluation per line.',
          schema: { type: 'string', description: 'One JSON object per line.' },
          contentType: 'application/x-ndjson',
        },
      },
      serve: async ({ context, call, query }) =>
        streamWithinLimit(longAnswers, call.principal.accountId, async (signal) => {
          const { pages } = await exportEvaluations(context, call, { ...query, signal })
          return { contentType: ndjsonType, chunks: formatLines(pages) }
        }),
    }),
  ]
}

async function* formatLines(
  pages: AsyncIterable<readonly object[]>,
): AsyncGenerator<string, void, undefined> {
  for await (const rows of pages) {
    if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  }
}
