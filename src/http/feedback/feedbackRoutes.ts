/** Routes sending feedback and reporting events of end users (spec 4.2). */

import {
  type BatchReceived,
  type FeedbackInput,
  reportEvents,
  sendFeedback,
} from '../../commands/feedback/reports.ts'
import { type FeedbackSignals, feedbackTypes } from '../../domain/evaluation/feedback.ts'
import type { FailureDetail } from '../../domain/failure.ts'
import { optional, type Schema } from '../../domain/schema.ts'
import { written } from '../request/answer.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { accountAccess, type Route, type Served } from '../request/route.ts'
import { lenientSchema, viewSchema } from '../request/schema/fields.ts'
import { type CallerMetadata, metadataField, readCorrelation } from '../signals/callerMetadata.ts'
import { keepSignals, readIp } from '../signals/readSignals.ts'
import { dispatchIdSchema, feedbackSignalsSchema } from '../signals/signalSchemas.ts'
import { batchBody } from './batchBody.ts'
import { reportedEventBody } from './reportedEventBody.ts'
import { readReportedTarget, reportedTargetSchema } from './reportedTarget.ts'

const feedbackInputSchema: Schema = lenientSchema<GivenFeedback>('FeedbackInput', {
  target: reportedTargetSchema,
  type: { type: 'string', enum: feedbackTypes },
  signals: optional(feedbackSignalsSchema),
  dispatch_id: optional(dispatchIdSchema),
  metadata: metadataField,
})

/** `{feedbacks: [...]}`. */
const feedbackBody = batchBody<GivenFeedback, FeedbackInput>({
  title: 'FeedbackBatch',
  name: 'feedbacks',
  entry: feedbackInputSchema,
  readEntry: readFeedback,
})

const batchReceivedSchema: Schema = viewSchema<BatchReceived>('BatchReceived', {
  status: { type: 'string', enum: ['success'] },
  request_id: {
    type: 'string',
    description:
      'Of the request that recorded the batch: of the first one, where an Idempotency-Key comes again.',
  },
})

/** `POST /v2/watch/feedback` and `POST /v2/watch/event`. */
export function feedbackRoutes({ authenticate, context }: Served): readonly Route[] {
  const common = {
    method: 'POST',
    tag: 'Watch',
    kind: 'write',
    access: accountAccess(authenticate, 'feedback'),
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
      serve: async ({ call, body }) => written(200, await sendFeedback(context, call, body)),
    }),
    defineRoute({
      ...common,
      path: '/v2/watch/event',
      operationId: 'reportEvents',
      summary: 'Report events of end users, 1 to 100 at once',
      body: reportedEventBody,
      serve: async ({ call, body }) => written(200, await reportEvents(context, call, body)),
    }),
  ]
}

/** An entry as its schema lets it through. */
interface GivenFeedback extends Omit<FeedbackInput, 'correlation_id'>, CallerMetadata {}

function readFeedback(
  { target, type, signals, dispatch_id, ...rest }: GivenFeedback,
  problems: FailureDetail[],
  path: string,
): FeedbackInput {
  const kept = signals && readSignals(signals, problems, `${path}.signals`)
  return {
    target: readReportedTarget(target, problems, `${path}.target`),
    type,
    ...(kept !== undefined && { signals: kept }),
    ...(dispatch_id !== undefined && { dispatch_id }),
    ...readCorrelation(rest),
  }
}

/** Undefined when none was sent. `existing_user` and `ext` are not listed for feedback, and ignored. */
function readSignals(
  signals: FeedbackSignals,
  problems: FailureDetail[],
  path: string,
): FeedbackSignals | undefined {
  const ip = readIp(signals.ip, problems, `${path}.ip`)
  const { existing_user: _, ...kept } = keepSignals(signals, ip)
  return Object.keys(kept).length > 0 ? kept : undefined
}
