/** Declares the routes that export feedback and reported events. */

import { exportFeedback, exportReportedEvents } from '../../queries/analysis/exportReports.ts'
import { feedbackFilters, reportedEventFilters, reportsQuery } from '../feedback/feedbackRoutes.ts'
import type { ConcurrencyLimit } from '../lists/listLimits.ts'
import { ownScopeAccess } from '../request/access.ts'
import { buildTimeRangeReader, timeOrderedListParameters } from '../request/filterParameters.ts'
import { textParameter } from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { checkFormat, describeTable, streamTable, tableParameters } from './tableFormats.ts'

const { cursor: _, limit: __, ...timeOrder } = timeOrderedListParameters

const exportParameters = {
  ...timeOrder,
  columns: textParameter('columns', 'Separated by commas; all unless given.', 2_048),
  ...tableParameters,
}

const feedbackQuery = checkFormat(
  reportsQuery(buildTimeRangeReader({ ...feedbackFilters, ...exportParameters })),
)
const eventsQuery = checkFormat(
  reportsQuery(buildTimeRangeReader({ ...reportedEventFilters, ...exportParameters })),
)

const common = { method: 'GET', tag: 'Analysis', access: ownScopeAccess('analyse') } as const

const exampleCsv = (name: string, value: string) =>
  `id,${name},target\r\nevt_01m7ynbr0gf2sbem4r9v1kgbtf,${value},+33612345678\r\n`

/** `/v2/watch/feedback/export` and `/v2/watch/event/export`. */
export function reportExportRoutes(longAnswers: ConcurrencyLimit): readonly Route[] {
  return [
    defineRoute({
      ...common,
      path: '/v2/watch/feedback/export',
      operationId: 'exportFeedback',
      summary: 'Export received feedback by time',
      query: feedbackQuery,
      answers: { 200: describeTable('feedback', exampleCsv('type', 'verification.started')) },
      serve: ({ context, call, query }) =>
        streamTable(longAnswers, { call, query, persons: 'unnamed' }, () =>
          exportFeedback(context, call, query),
        ),
    }),
    defineRoute({
      ...common,
      path: '/v2/watch/event/export',
      operationId: 'exportReportedEvents',
      summary: 'Export reported events by time',
      query: eventsQuery,
      answers: { 200: describeTable('event', exampleCsv('label', 'payment.chargeback')) },
      serve: ({ context, call, query }) =>
        streamTable(longAnswers, { call, query, persons: 'unnamed' }, () =>
          exportReportedEvents(context, call, query),
        ),
    }),
  ]
}
