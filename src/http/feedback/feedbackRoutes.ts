/** What callers report of end users (spec 4.2). */

import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type { FeedbackPart } from '../../service/feedback/feedbackPart.ts'
import { accountAccess } from '../request/access.ts'
import { written } from '../request/answer.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { batchReceivedSchema } from './batchReceivedSchema.ts'
import { feedbackBody } from './feedbackBody.ts'
import { reportedEventBody } from './reportedEventBody.ts'

/** `POST /v2/watch/feedback` and `POST /v2/watch/event`. */
export function feedbackRoutes(service: AccountsPart & FeedbackPart): readonly Route[] {
  const common = {
    method: 'POST',
    tag: 'Watch',
    kind: 'write',
    access: accountAccess(service.authenticate, 'feedback'),
    ids: {},
    query: noQuery,
    failures: [],
    answers: {
      200: { description: 'All of it is on record.', schema: batchReceivedSchema },
    },
  } as const
  return [
    defineRoute({
      ...common,
      path: '/v2/watch/feedback',
      operationId: 'sendFeedback',
      summary: 'Send feedback on verifications, 1 to 100 at once',
      body: feedbackBody,
      serve: async ({ call, body }) => written(200, await service.sendFeedback(call, body)),
    }),
    defineRoute({
      ...common,
      path: '/v2/watch/event',
      operationId: 'reportEvents',
      summary: 'Report events of end users, 1 to 100 at once',
      body: reportedEventBody,
      serve: async ({ call, body }) => written(200, await service.reportEvents(call, body)),
    }),
  ]
}
