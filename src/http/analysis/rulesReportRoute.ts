/** Declares the route of the report on rules. */

import { labelMeanings } from '../../domain/evaluation/labelClasses.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { reportRules, rulesReportSchema } from '../../queries/analysis/rulesReport.ts'
import { type ConcurrencyLimit, streamWithinLimit } from '../lists/listLimits.ts'
import { accountAccess } from '../request/access.ts'
import { buildTimeRangeReader } from '../request/filterParameters.ts'
import {
  choiceParameter,
  idParameter,
  minPositionParameter,
  withFallback,
} from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import {
  ndjsonType,
  progressFormat,
  progressTypes,
  scanParameters,
  streamFolded,
} from './scanAnswer.ts'

const reportQuery = buildTimeRangeReader({
  flowId: idParameter('flow_id', idPrefixes.flow, {
    description: 'Only of this flow.',
    message: 'Must be the id of a flow.',
  }),
  ...scanParameters,
  labelClass: withFallback(
    choiceParameter('label_class', labelMeanings, 'The class that the rules are meant to find.'),
    'fraud',
  ),
  format: progressFormat,
  minPosition: minPositionParameter,
})

/** `/v2/watch/rules/report`. */
export function rulesReportRoute(longAnswers: ConcurrencyLimit): Route {
  return defineRoute({
    method: 'GET',
    path: '/v2/watch/rules/report',
    operationId: 'reportRules',
    summary: 'Report what each rule did in recorded evaluations, and how it agrees with labels',
    tag: 'Analysis',
    access: accountAccess('analyse'),
    query: reportQuery,
    answers: {
      200: { description: 'The report.', schema: rulesReportSchema, otherTypes: progressTypes },
    },
    serve: ({ context, call, query: { format, ...query } }) =>
      streamWithinLimit(longAnswers, call.principal.accountId, async (signal) => {
        const { steps, sum } = await reportRules(context, call, { ...query, signal })
        const chunks = streamFolded(steps, format, sum)
        return format === 'ndjson' ? { contentType: ndjsonType, chunks } : { chunks }
      }),
  })
}
