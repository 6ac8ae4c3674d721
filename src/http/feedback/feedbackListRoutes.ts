/** Declares the routes for the lists of received feedback and of reported events. */

import { labelSchema } from '../../commands/feedback/recordReports.ts'
import { feedbackTypes, type ReportedTarget } from '../../domain/evaluation/feedback.ts'
import type { FailureDetail } from '../../domain/failure.ts'
import {
  type FeedbackQuery,
  feedbackListSchema,
  listFeedback,
  listReportedEvents,
  type ReportedEventsQuery,
  reportedEventListSchema,
} from '../../queries/feedback/reports.ts'
import { accountAccess } from '../request/access.ts'
import { pageAnswer } from '../request/answer.ts'
import {
  buildTimeRangeReader,
  filterParameter,
  timeOrderedListParameters,
} from '../request/filterParameters.ts'
import {
  choiceParameter,
  type QueryReader,
  type TypedQueryParameter,
} from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'

const isLabel = new RegExp(labelSchema.pattern)

const target = {
  phone_number: filterParameter('phone_number'),
  email_address: filterParameter('email_address'),
}

const labelParameter = {
  name: 'label',
  description: 'Only with this label.',
  schema: labelSchema,
  parse: (text) => (text.length <= labelSchema.maxLength && isLabel.test(text) ? text : undefined),
  message: `Must be a string of 1 to ${labelSchema.maxLength} characters that fits ${labelSchema.pattern}.`,
} satisfies TypedQueryParameter<string>

/** `phone_number` or `email_address`, `type`, `correlation_id`, and those of a search by time. */
const feedbackQuery: QueryReader<FeedbackQuery> = reportsQuery(
  buildTimeRangeReader({
    ...target,
    type: choiceParameter('type', feedbackTypes, 'Only of this type.'),
    correlationId: filterParameter('correlation_id'),
    ...timeOrderedListParameters,
  }),
)

/** `phone_number` or `email_address`, `label`, and those of a search by time. */
const reportedEventsQuery: QueryReader<ReportedEventsQuery> = reportsQuery(
  buildTimeRangeReader({ ...target, label: labelParameter, ...timeOrderedListParameters }),
)

interface ReportsGiven {
  readonly phone_number?: string
  readonly email_address?: string
}

/** Reads both forms of a target as one. */
function reportsQuery<Given extends ReportsGiven>({ read, parameters }: QueryReader<Given>) {
  return {
    parameters,
    read: (given: Parameters<typeof read>[0], details: FailureDetail[]) => {
      const { phone_number: phone, email_address: email, ...asked } = read(given, details)
      if (phone !== undefined && email !== undefined) {
        const message = 'Must not stand together with phone_number: a report is of one of them.'
        details.push({ path: 'email_address', message })
      }
      return { ...asked, ...targetOf(phone, email) }
    },
  }
}

function targetOf(
  phone: string | undefined,
  email: string | undefined,
): { readonly target?: ReportedTarget } {
  if (phone !== undefined) return { target: { type: 'phone_number', value: phone } }
  return email === undefined ? {} : { target: { type: 'email_address', value: email } }
}

const common = {
  method: 'GET',
  tag: 'Analysis',
  access: accountAccess('analyse'),
} as const

/** `GET /v2/watch/feedback` and `GET /v2/watch/event`. */
export const feedbackListRoutes: readonly Route[] = [
  defineRoute({
    ...common,
    path: '/v2/watch/feedback',
    operationId: 'listFeedback',
    summary: 'List received feedback by time',
    query: feedbackQuery,
    answers: { 200: { description: 'One page of feedback.', schema: feedbackListSchema } },
    serve: ({ context, call, query }) =>
      pageAnswer('feedbacks', listFeedback(context, call, query)),
  }),
  defineRoute({
    ...common,
    path: '/v2/watch/event',
    operationId: 'listReportedEvents',
    summary: 'List reported events by time',
    query: reportedEventsQuery,
    answers: { 200: { description: 'One page of events.', schema: reportedEventListSchema } },
    serve: ({ context, call, query }) =>
      pageAnswer('events', listReportedEvents(context, call, query)),
  }),
]
