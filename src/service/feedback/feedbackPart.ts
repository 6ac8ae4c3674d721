/** The feedback's part of the service: what callers report of end users. */

import type { Call, Page, PageRequest, Seen, Written } from '../../domain/call.ts'
import type {
  Confidence,
  FeedbackSignals,
  FeedbackType,
  ReportedTarget,
} from '../../domain/feedback.ts'
import type { Forgotten } from '../../events/recording/sealing.ts'
import type { TimeAsked } from '../../queries/reading/searchPage.ts'

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

/** The end user of a report; the value is forgotten once they were erased. */
export type TargetView = ReportedTarget | (Pick<ReportedTarget, 'type'> & Forgotten)

/** Feedback that was received; what is personal in it is absent once it is forgotten. */
export interface FeedbackView {
  readonly id: string
  /** ISO 8601 UTC. */
  readonly received_at: string
  readonly type: FeedbackType
  readonly target: TargetView
  readonly dispatch_id?: string
  readonly metadata?: { readonly correlation_id: string }
  readonly signals?: FeedbackSignals
  readonly position: string
}

/** An event that was reported. */
export interface ReportedEventView {
  readonly id: string
  /** ISO 8601 UTC. */
  readonly reported_at: string
  readonly label: string
  readonly confidence: Confidence
  readonly target: TargetView
  readonly position: string
}

/** Which reports are wanted; canonical. */
interface ReportsAsked extends PageRequest, TimeAsked {
  readonly target?: ReportedTarget
}

export interface FeedbackAsked extends ReportsAsked {
  readonly type?: FeedbackType
  readonly correlationId?: string
}

export interface ReportedEventsAsked extends ReportsAsked {
  readonly label?: string
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
  /** Feedback in the order of time. Throws `invalid_request` for what is no cursor of the search, `unavailable`. */
  readonly listFeedback: (call: Call, asked: FeedbackAsked) => Promise<Seen<Page<FeedbackView>>>
  /** The same of events. */
  readonly listReportedEvents: (
    call: Call,
    asked: ReportedEventsAsked,
  ) => Promise<Seen<Page<ReportedEventView>>>
}
