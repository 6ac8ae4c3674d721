/** A batch of feedback as it is sent (spec 2.7, 4.2). */

import type { FailureDetail } from '../../domain/failure.ts'
import { type FeedbackSignals, feedbackTypes } from '../../domain/feedback.ts'
import type { FeedbackInput } from '../../service/feedback/feedbackPart.ts'
import { lenientSchema, optional } from '../request/fields.ts'
import type { Schema } from '../request/schema.ts'
import { type CallerMetadata, metadataField, readCorrelation } from '../signals/callerMetadata.ts'
import { keepSignals, readIp } from '../signals/readSignals.ts'
import { dispatchIdSchema, feedbackSignalsSchema } from '../signals/signalSchemas.ts'
import { batchBody } from './batchBody.ts'
import { readReportedTarget, reportedTargetSchema } from './reportedTarget.ts'

/** An entry as its schema lets it through. */
interface GivenFeedback extends Omit<FeedbackInput, 'correlation_id'>, CallerMetadata {}

const feedbackInputSchema: Schema = lenientSchema<GivenFeedback>('FeedbackInput', {
  target: reportedTargetSchema,
  type: { type: 'string', enum: feedbackTypes },
  signals: optional(feedbackSignalsSchema),
  dispatch_id: optional(dispatchIdSchema),
  metadata: metadataField,
})

/** `{feedbacks: [...]}`. */
export const feedbackBody = batchBody<GivenFeedback, FeedbackInput>({
  title: 'FeedbackBatch',
  name: 'feedbacks',
  entry: feedbackInputSchema,
  readEntry: readFeedback,
})

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
