/** Declares the route that runs a draft over recorded evaluations. */

import type { FoldedBacktest } from '../../queries/analysis/backtest/backtestRows.ts'
import { backtestSchema, prepareBacktest } from '../../queries/analysis/backtest/prepareBacktest.ts'
import {
  backtestReportSchema,
  openBacktestSum,
  runBacktest,
} from '../../queries/analysis/backtest/runBacktest.ts'
import { type ConcurrencyLimit, streamWithinLimit } from '../lists/listLimits.ts'
import { bothScopesAccess } from '../request/access.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { buildTimeRangeReader } from '../request/filterParameters.ts'
import { minPositionParameter } from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import {
  jsonType,
  listsParameter,
  ndjsonType,
  progressFormat,
  scanParameters,
  streamFolded,
} from './scanAnswer.ts'

const backtestQuery = buildTimeRangeReader({
  ...scanParameters,
  lists: listsParameter,
  format: progressFormat,
  minPosition: minPositionParameter,
})

const ndjsonExample = `{"changed":{"id":"evl_01jc0t6fwwfgfsq1md24mhyztj","answered":"PASS","unchanged":"PASS","draft":"FLAG"}}
{"progress":{"scanned":2000,"matched":2000,"done":0.4}}
`

/** `POST /v2/watch/management/backtests`. */
export function backtestRoutes(longAnswers: ConcurrencyLimit): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v2/watch/management/backtests',
      operationId: 'backtest',
      summary: 'Run a rule, a draft of a flow, or other weights over recorded evaluations',
      tag: 'Authoring',
      kind: 'plain',
      access: bothScopesAccess(['author', 'analyse']),
      query: backtestQuery,
      body: schemaBody(backtestSchema),
      failures: ['access_not_enabled', 'invalid_rule', 'not_found'],
      answers: {
        200: {
          description: 'The report.',
          schema: backtestReportSchema,
          otherTypes: { 'application/x-ndjson': ndjsonExample },
        },
      },
      serve: ({ context, call, query: { format, ...query }, body: input }) =>
        streamWithinLimit(longAnswers, call.principal.accountId, async (signal) => {
          const prepared = await prepareBacktest(context, call, { ...query, input })
          const steps = runBacktest(context, call, { prepared, signal })
          const sum = openBacktestSum(prepared, query.lists)
          const lines = ({ changed }: FoldedBacktest) => changed.map((one) => ({ changed: one }))
          return {
            contentType: format === 'json' ? jsonType : ndjsonType,
            chunks: streamFolded(steps, format, { ...sum, lines }),
          }
        }),
    }),
  ]
}
