/** What was reported, as it is answered. */

import {
  confidences,
  feedbackTypes,
  type ReportedTarget,
  targetTypes,
} from '../../domain/feedback.ts'
import type { FeedbackView, ReportedEventView } from '../../service/feedback/feedbackPart.ts'
import { optional, viewSchema } from '../request/fields.ts'
import { pageSchema } from '../request/pageSchema.ts'
import { type Schema, timeText } from '../request/schema.ts'
import { feedbackSignalsSchema } from '../signals/signalSchemas.ts'

interface SeenTarget extends Pick<ReportedTarget, 'type'> {
  readonly value?: string
  readonly forgotten?: true
}

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

export const feedbackListSchema: Schema = pageSchema('FeedbackList', 'feedbacks', feedback)
export const reportedEventListSchema: Schema = pageSchema(
  'ReportedEventList',
  'events',
  reportedEvent,
)
