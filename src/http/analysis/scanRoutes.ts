/** Declares the route that exports recorded evaluations. */

import { idPrefixes } from '../../domain/ids.ts'
import { exportEvaluations } from '../../queries/analysis/exportEvaluations.ts'
import { type ConcurrencyLimit, streamWithinLimit } from '../lists/listLimits.ts'
import { ownScopeAccess } from '../request/access.ts'
import { buildTimeRangeReader } from '../request/filterParameters.ts'
import {
  choiceParameter,
  idParameter,
  minPositionParameter,
  textParameter,
  withFallback,
} from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { ndjsonType, scanParameters, streamFolded } from './scanAnswer.ts'
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
    behind: idParameter('after', idPrefixes.evaluation, {
      description:
        'Id of an evaluation: the rows behind it in the order, for a page or to go on after a file that broke off.',
      message: 'Must be the id of an evaluation.',
    }),
    ...tableParameters,
    progress: withFallback(
      choiceParameter(
        'progress',
        ['true', 'false'],
        'Of NDJSON: each row is a line `{"row": …}`, and lines `{"progress": …}` say how far the scan is; the last line is `{"result": {}}`.',
      ),
      'false',
    ),
    minPosition: minPositionParameter,
  }),
)

const exampleCsv =
  'id,evaluated_at,verdict,score\r\nevl_01j9z3k4m5n6p7q8r9s0t1v2w3,2026-11-21T09:30:00.000Z,FLAG,80;20\r\n'

/** A line for each row, and nothing that is made of them. */
const rowLines = {
  add: () => undefined,
  lines: (rows: readonly object[]) => rows.map((row) => ({ row })),
  result: () => ({}),
}

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
      serve: ({ context, call, query: { progress, ...query } }) => {
        const open = (signal: AbortSignal) => exportEvaluations(context, call, { ...query, signal })
        const opened = /(?:target|signal)\./.test(query.columns) && { persons: 'unnamed' as const }
        if (progress === 'false') return streamTable(longAnswers, { call, query, ...opened }, open)
        return streamWithinLimit(longAnswers, call.principal.accountId, async (signal) => ({
          contentType: ndjsonType,
          chunks: streamFolded((await open(signal)).steps, 'ndjson', rowLines),
          ...opened,
        }))
      },
    }),
  ]
}
