/** Routes the lists of received feedback and of reported events. */

import {
  confidences,
  feedbackTypes,
  type ReportedTarget,
  targetTypes,
} from '../../domain/evaluation/feedback.ts'
import { optional, pageSchema, type Schema, timeText } from '../../domain/schema.ts'
import {
  type FeedbackView,
  listFeedback,
  listReportedEvents,
  type ReportedEventView,
} from '../../queries/feedback/reports.ts'
import { seenPage } from '../request/answer.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { accountAccess, type Route, type Served } from '../request/route.ts'
import { viewSchema } from '../request/schema/fields.ts'
import { feedbackSignalsSchema } from '../signals/signalSchemas.ts'
import { feedbackQuery, reportedEventsQuery } from './reportQueries.ts'

const target: Schema = viewSchema<SeenTarget>('SeenTarget', {
  type: { type: 'string', enum: targetTypes },
  value: optional({ type: 'string', description: 'In canonical form.' }),
  forgotten: optional({
    const: true,
    description:
      'In place of the value: the end user was erased, and all that is personal with them.',
  }),
})

const id: Schema = { type: 'string' }
const position: Schema = { type: 'string', description: 'Its place in the log.' }

const feedback: Schema = viewSchema<FeedbackView>('Feedback', {
  id,
  received_at: timeText,
  type: { type: 'string', enum: feedbackTypes },
  target,
  dispatch_id: optional({ type: 'string' }),
  metadata: optional(
    viewSchema<NonNullable<FeedbackView['metadata']>>('FeedbackMetadata', {
      correlation_id: { type: 'string' },
    }),
  ),
  signals: optional(feedbackSignalsSchema),
  position,
})

const reportedEvent: Schema = viewSchema<ReportedEventView>('ReportedEvent', {
  id,
  reported_at: timeText,
  label: { type: 'string' },
  confidence: { type: 'string', enum: confidences },
  target,
  position,
})

const feedbackListSchema: Schema = pageSchema('FeedbackList', 'feedbacks', feedback)
const reportedEventListSchema: Schema = pageSchema('ReportedEventList', 'events', reportedEvent)

/** `GET /v2/watch/feedback` and `GET /v2/watch/event`. */
export function reportRoutes({ authenticate, context }: Served): readonly Route[] {
  const common = {
    method: 'GET',
    tag: 'Analysis',
    kind: 'read',
    access: accountAccess(authenticate, 'analyse'),
    failures: ['invalid_request'],
  } as const
  return [
    defineRoute({
      ...common,
      path: '/v2/watch/feedback',
      operationId: 'listFeedback',
      summary: 'List feedback that was received, in the order of time',
      query: feedbackQuery,
      answers: { 200: { description: 'One page of feedback.', schema: feedbackListSchema } },
      serve: async ({ call, query }) =>
        seenPage('feedbacks', await listFeedback(context, call, query)),
    }),
    defineRoute({
      ...common,
      path: '/v2/watch/event',
      operationId: 'listReportedEvents',
      summary: 'List events that were reported, in the order of time',
      query: reportedEventsQuery,
      answers: { 200: { description: 'One page of events.', schema: reportedEventListSchema } },
      serve: async ({ call, query }) =>
        seenPage('events', await listReportedEvents(context, call, query)),
    }),
  ]
}

interface SeenTarget extends Pick<ReportedTarget, 'type'> {
  readonly value?: string
  readonly forgotten?: true
}
