/** Declares the route that lists verdicts of a version that the flow of today would change. */

import { idPrefixes } from '../../domain/ids.ts'
import { listVersionVerdicts } from '../../queries/analysis/backtest/versionVerdicts.ts'
import { type ConcurrencyLimit, streamWithinLimit } from '../lists/listLimits.ts'
import { ownScopeAccess } from '../request/access.ts'
import { buildTimeRangeReader } from '../request/filterParameters.ts'
import { minPositionParameter } from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { listsParameter, ndjsonType, scanParameters, streamFolded } from './scanAnswer.ts'

const verdictsQuery = buildTimeRangeReader({
  ...scanParameters,
  lists: listsParameter,
  minPosition: minPositionParameter,
})

/** `GET /v2/watch/versions/{version_id}/verdicts`. */
export function versionVerdictsRoute(longAnswers: ConcurrencyLimit): Route {
  return defineRoute({
    method: 'GET',
    path: '/v2/watch/versions/{version_id}/verdicts',
    operationId: 'listVersionVerdicts',
    summary: 'List the verdicts given under a version that the flow of today would change',
    tag: 'Analysis',
    access: ownScopeAccess('analyse'),
    ids: { version_id: idPrefixes.version },
    query: verdictsQuery,
    answers: {
      200: {
        description: 'The verdicts of the version, of each flow the newest first.',
        schema: {
          type: 'string',
          description:
            'One JSON object per line: {"verdict": {"id", "evaluated_at", "flow", "target.phone_number", "target.email_address", "answered", "now", "correlation_id"}} for each, {"progress": …} between them, and last {"result": {"version_id", "from", "to", "evaluations", "to_flag", "to_pass", "not_evaluated", "forgotten", "without_flow"}}.',
        },
        contentType: 'application/x-ndjson',
      },
    },
    serve: ({ context, call, ids: { version_id: versionId }, query }) =>
      streamWithinLimit(longAnswers, call.principal.accountId, async (signal) => {
        const asked = { ...query, versionId, signal }
        const { steps, ...sum } = await listVersionVerdicts(context, call, asked)
        const chunks = streamFolded(steps, 'ndjson', sum)
        return { contentType: ndjsonType, chunks, persons: 'unnamed' }
      }),
  })
}
