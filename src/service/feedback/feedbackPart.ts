/** The feedback's part of the service: what callers report of end users. */

import type { Call, Written } from '../../domain/call.ts'
import type {
  Confidence,
  FeedbackSignals,
  FeedbackType,
  ReportedTarget,
} from '../../domain/feedback.ts'

/** Feedback after its checks: target and address canonical, empty signals left out. */
export interface FeedbackInput {
  readonly target: ReportedTarget
  readonly type: FeedbackType
  readonly signals?: FeedbackSignals
  readonly dispatch_id?: string
  readonly correlation_id?: string
}

/** An event after its checks. */
export interface ReportedEventInput {
  readonly target: ReportedTarget
  readonly label: string
  readonly confidence: Confidence
}

/** What a batch is answered with (spec 2.8). */
export interface BatchReceived {
  readonly status: 'success'
  /** Of the request that recorded it. */
  readonly request_id: string
}

export interface FeedbackPart {
  /**
   * Records all of it or nothing, durably. `visible` says whether the read models show it already; it is not waited for. Throws
   * `idempotency_key_reused`, `unavailable`.
   */
  readonly sendFeedback: (
    call: Call,
    feedback: readonly FeedbackInput[],
  ) => Promise<Written<BatchReceived>>
  /** The same for events. */
  readonly reportEvents: (
    call: Call,
    events: readonly ReportedEventInput[],
  ) => Promise<Written<BatchReceived>>
}
