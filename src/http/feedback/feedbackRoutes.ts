/** Declares the routes that send feedback and reported events (spec 4.2), and list them. */

import { recordFeedback, recordReportedEvents } from '../../commands/feedback/recordReports.ts'
import type { WriteResult } from '../../domain/call.ts'
import {
  feedbackTypes,
  labelSchema,
  type ReportedTarget,
} from '../../domain/evaluation/feedback.ts'
import type { FailureDetail } from '../../domain/failure.ts'
import { findPersons } from '../../domain/shownPersons.ts'
import {
  type FeedbackQuery,
  type FeedbackView,
  feedbackListSchema,
  listFeedback,
  listReportedEvents,
  type ReportedEventsQuery,
  reportedEventListSchema,
} from '../../queries/feedback/reports.ts'
import { accountAccess } from '../request/access.ts'
import { type Answer, pageAnswer } from '../request/answer.ts'
import {
  buildTimeRangeReader,
  filterParameters,
  timeOrderedListParameters,
} from '../request/filterParameters.ts'
import { choiceParameter, type QueryReader, textParameter } from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { batchReceivedSchema, feedbackBatchBody, reportedEventBatchBody } from './reportBatch.ts'

const target = {
  phone_number: filterParameters.phone_number,
  email_address: filterParameters.email_address,
}

/** `phone_number` or `email_address`, `type` and `correlation_id`. */
export const feedbackFilters = {
  ...target,
  type: choiceParameter('type', feedbackTypes, 'Only of this type.'),
  correlationId: filterParameters.correlation_id,
}

/** The same, and those of a search by time. */
const feedbackQuery: QueryReader<FeedbackQuery> = reportsQuery(
  buildTimeRangeReader({ ...feedbackFilters, ...timeOrderedListParameters }),
)

const isLabel = new RegExp(labelSchema.pattern)

const labelParameter = {
  ...textParameter('label', 'Only with this label.', labelSchema.maxLength),
  schema: labelSchema,
  parse: (text: string) =>
    text.length <= labelSchema.maxLength && isLabel.test(text) ? text : undefined,
  message: `Must be a string of 1 to ${labelSchema.maxLength} characters that fits ${labelSchema.pattern}.`,
}

/** `phone_number` or `email_address`, `label` and `correlation_id`. */
export const reportedEventFilters = {
  ...target,
  label: labelParameter,
  correlationId: filterParameters.correlation_id,
}

/** The same, and those of a search by time. */
const reportedEventsQuery: QueryReader<ReportedEventsQuery> = reportsQuery(
  buildTimeRangeReader({ ...reportedEventFilters, ...timeOrderedListParameters }),
)

type TargetTexts = Readonly<Partial<Record<ReportedTarget['type'], string>>>

/** Reads both forms of a target as one. */
export function reportsQuery<Given extends TargetTexts>({ read, parameters }: QueryReader<Given>) {
  return {
    parameters,
    read: (given: Parameters<typeof read>[0], details: FailureDetail[]) => {
      const { phone_number: phone, email_address: email, ...query } = read(given, details)
      if (phone !== undefined && email !== undefined) {
        const message = 'Must not stand together with phone_number: a report is of one of them.'
        details.push({ path: 'email_address', message })
      }
      const type = phone === undefined ? 'email_address' : 'phone_number'
      const value = phone ?? email
      return { ...query, ...(value !== undefined && { target: { type, value } as const }) }
    },
  }
}

const sending = {
  method: 'POST',
  tag: 'Watch',
  access: accountAccess('feedback'),
  failures: [],
  answers: {
    200: { description: 'The whole batch is recorded.', schema: batchReceivedSchema },
  },
} as const

const listing = { method: 'GET', tag: 'Analysis', access: accountAccess('analyse') } as const

/** `/v2/watch/feedback` and `/v2/watch/event`. */
export const feedbackRoutes: readonly Route[] = [
  defineRoute({
    ...sending,
    path: '/v2/watch/feedback',
    operationId: 'sendFeedback',
    summary: 'Send feedback on verifications, 1 to 100 at once',
    body: feedbackBatchBody,
    serve: ({ context, call, body }) =>
      addIgnored(recordFeedback(context, call, body.inputs), body.ignored),
  }),
  defineRoute({
    ...sending,
    path: '/v2/watch/event',
    operationId: 'reportEvents',
    summary: 'Report events of end users, 1 to 100 at once',
    body: reportedEventBatchBody,
    serve: ({ context, call, body }) =>
      addIgnored(recordReportedEvents(context, call, body.inputs), body.ignored),
  }),
  defineRoute({
    ...listing,
    path: '/v2/watch/feedback',
    operationId: 'listFeedback',
    summary: 'List received feedback by time',
    query: feedbackQuery,
    answers: { 200: { description: 'One page of feedback.', schema: feedbackListSchema } },
    serve: ({ context, call, query }) =>
      pageAnswer('feedbacks', listFeedback(context, call, query), findTargets),
  }),
  defineRoute({
    ...listing,
    path: '/v2/watch/event',
    operationId: 'listReportedEvents',
    summary: 'List reported events by time',
    query: reportedEventsQuery,
    answers: { 200: { description: 'One page of events.', schema: reportedEventListSchema } },
    serve: ({ context, call, query }) =>
      pageAnswer('events', listReportedEvents(context, call, query), findTargets),
  }),
]

const findTargets = (reports: readonly Pick<FeedbackView, 'target'>[]) =>
  findPersons(reports.map(({ target: of }) => of))

/** The answer, with the fields of the request that are not known; without any as it is. */
async function addIgnored(
  recorded: Promise<WriteResult<object>>,
  ignored: readonly string[],
): Promise<Answer> {
  const result = await recorded
  if (ignored.length === 0) return result
  return { ...result, value: { ...result.value, ignored } }
}
