/** What callers have reported of end users, seen again. */

import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type { FeedbackPart } from '../../service/feedback/feedbackPart.ts'
import { accountAccess } from '../request/access.ts'
import { seen } from '../request/answer.ts'
import { noBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import type { Route } from '../request/route.ts'
import { feedbackQuery, reportedEventsQuery } from './reportQueries.ts'
import { feedbackListSchema, reportedEventListSchema } from './reportSchemas.ts'

/** `GET /v2/watch/feedback` and `GET /v2/watch/event`. */
export function reportRoutes(service: AccountsPart & FeedbackPart): readonly Route[] {
  const common = {
    method: 'GET',
    tag: 'Analysis',
    kind: 'read',
    access: accountAccess(service.authenticate, 'analyse'),
    ids: {},
    body: noBody,
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
      serve: async ({ call, query }) => {
        const { value, position } = await service.listFeedback(call, query)
        return seen({ value: { feedbacks: value.items, next_cursor: value.nextCursor }, position })
      },
    }),
    defineRoute({
      ...common,
      path: '/v2/watch/event',
      operationId: 'listReportedEvents',
      summary: 'List events that were reported, in the order of time',
      query: reportedEventsQuery,
      answers: { 200: { description: 'One page of events.', schema: reportedEventListSchema } },
      serve: async ({ call, query }) => {
        const { value, position } = await service.listReportedEvents(call, query)
        return seen({ value: { events: value.items, next_cursor: value.nextCursor }, position })
      },
    }),
  ]
}
