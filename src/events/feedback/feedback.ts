/** What callers report of end users: streams `feedback-{command}` and `reported_event-{command}`, one for each batch. */

import type {
  Confidence,
  FeedbackSignals,
  FeedbackType,
  ReportedTarget,
  TargetType,
} from '../../domain/feedback.ts'
import type { DomainEvent } from '../recording/event.ts'
import type { Personal } from '../recording/sealing.ts'

/** What feedback says beside its kind; absent parts were not sent. */
export interface FeedbackContext {
  readonly dispatch_id?: string
  readonly correlation_id?: string
  readonly signals?: FeedbackSignals
}

export interface FeedbackReceived {
  readonly feedback_id: string
  readonly type: FeedbackType
  readonly target_type: TargetType
  /** Keyed digest of the correlation id, by which it is found; absent without one. */
  readonly correlation?: string
  /** The canonical value. */
  readonly target: Personal<ReportedTarget['value']>
  readonly context: Personal<FeedbackContext>
}

export interface EventReported {
  readonly event_id: string
  readonly label: string
  readonly confidence: Confidence
  readonly target_type: TargetType
  /** The canonical value. */
  readonly target: Personal<ReportedTarget['value']>
}

export type FeedbackEvent = DomainEvent<'FeedbackReceived', FeedbackReceived>
export type ReportedEvent = DomainEvent<'EventReported', EventReported>
