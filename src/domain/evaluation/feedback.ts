/** Declares the values of feedback on verifications (spec 2.7) and of reported events. */

import type { CallerSignal, DeviceSignal, Signals } from '../signals/signals.ts'

export const feedbackTypes = ['verification.started', 'verification.completed'] as const
export type FeedbackType = (typeof feedbackTypes)[number]

/** How confident the caller is in a reported event. */
export const confidences = ['maximum', 'high', 'neutral', 'low', 'minimum'] as const
export type Confidence = (typeof confidences)[number]

export const targetTypes = ['phone_number', 'email_address'] as const
export type TargetType = (typeof targetTypes)[number]

/** The end user of a report; the value is canonical. */
export interface ReportedTarget {
  readonly type: TargetType
  readonly value: string
}

/** The signals of feedback: all but `existing_user` and `ext` (spec 2.7). */
export type FeedbackSignals = Pick<Signals, DeviceSignal | Exclude<CallerSignal, 'existing_user'>>

/** Entries of a batch: of feedback, or of events. */
export const batchMax = 100
