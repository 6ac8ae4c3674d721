/** Declares the route that tries a draft over the newest recorded evaluations. */

import { backtestSchema } from '../../queries/analysis/backtest/prepareBacktest.ts'
import { previewBacktest } from '../../queries/analysis/backtest/previewBacktest.ts'
import { backtestReportSchema } from '../../state/analysis/backtestStreamType.ts'
import { type ConcurrencyLimit, streamWithinLimit } from '../lists/listLimits.ts'
import { bothScopesAccess } from '../request/access.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { buildTimeRangeReader } from '../request/filterParameters.ts'
import { minPositionParameter } from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { jsonType, listsParameter, scanParameters, streamFolded } from './scanAnswer.ts'

const previewQuery = buildTimeRangeReader({
  ...scanParameters,
  lists: listsParameter,
  minPosition: minPositionParameter,
})

/** `POST /v2/watch/management/backtests/preview`. */
export function previewRoute(previews: ConcurrencyLimit): Route {
  return defineRoute({
    method: 'POST',
    path: '/v2/watch/management/backtests/preview',
    operationId: 'previewBacktest',
    summary: 'Try a rule, a draft of a flow, or other weights over the last 2,000 evaluations',
    tag: 'Authoring',
    kind: 'plain',
    access: bothScopesAccess(['author', 'analyse']),
    query: previewQuery,
    body: schemaBody(backtestSchema),
    failures: ['access_not_enabled', 'invalid_rule', 'not_found'],
    answers: {
      200: {
        description:
          'The report of the newest evaluations, at most 2,000 and as many as five seconds allow: `from` says how far back they go.',
        schema: backtestReportSchema,
      },
    },
    serve: ({ context, call, query, body: input }) =>
      streamWithinLimit(previews, call.principal.accountId, async (signal) => {
        const { steps, ...sum } = await previewBacktest(context, call, { ...query, input, signal })
        return { contentType: jsonType, chunks: streamFolded(steps, 'json', sum) }
      }),
  })
}
