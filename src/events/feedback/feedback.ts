/** Declares feedback and reported events (streams `feedback-{command}`, `reported_event-{command}`). */

import type {
  Confidence,
  FeedbackSignals,
  FeedbackType,
  ReportedTarget,
  TargetType,
} from '../../domain/evaluation/feedback.ts'
import type { Clear, Definitions, SubjectOf } from '../recording/definition.ts'
import type { DomainEvent } from '../recording/event.ts'
import { flag, object, oneOf, text, word } from '../recording/schema.ts'
import type { Personal } from '../recording/sealing.ts'

/** The fields of feedback beside its type; absent ones were not sent. */
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

/** By name, not by the lists of those there are: what version 1 holds does not grow with them. */
const targetType = oneOf(['phone_number', 'email_address'])
const signals = object(
  {},
  {
    ip: text,
    device_id: text,
    device_platform: text,
    device_model: text,
    os_version: text,
    app_version: text,
    user_agent: text,
    ja4_fingerprint: text,
    is_trusted_user: flag,
  },
)

export const feedbackEvents: Definitions<FeedbackEvent | ReportedEvent> = {
  FeedbackReceived: {
    schema: object(
      {
        feedback_id: word,
        type: oneOf(['verification.started', 'verification.completed']),
        target_type: targetType,
      },
      { correlation: word },
    ),
    personal: {
      target: { subject: targetSubject, schema: word },
      context: {
        subject: targetSubject,
        schema: object({}, { dispatch_id: word, correlation_id: word, signals }),
      },
    },
  },
  EventReported: {
    schema: object({
      event_id: word,
      label: word,
      confidence: oneOf(['maximum', 'high', 'neutral', 'low', 'minimum']),
      target_type: targetType,
    }),
    personal: { target: { subject: targetSubject, schema: word } },
  },
}

const kinds = { phone_number: 'phone', email_address: 'email' } as const satisfies Record<
  TargetType,
  string
>

/** All that is said of a person is under the subject of the number or the address that it is said of. */
function targetSubject({
  target_type,
  target,
}: Pick<Clear<FeedbackReceived | EventReported>, 'target_type' | 'target'>): SubjectOf {
  return { kind: kinds[target_type], value: target }
}
