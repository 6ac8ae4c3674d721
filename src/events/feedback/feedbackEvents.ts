/** Declares feedback and reported events (streams `feedback-…`, `reported_event-…`). */

import type { TypeOf } from '../../domain/jsonSchema.ts'
import type { DataSubject, EventOf } from '../recording/eventDefinition.ts'
import { epochMs, nonEmptyString, object, oneOf } from '../recording/eventSchema.ts'
import { signalDigestFields } from '../recording/lookupDigest.ts'
import { talliesField } from '../recording/tallies.ts'
import { commonSignalFields } from '../signals/dispatch.ts'

/** By name, not by the lists of those there are: what version 1 holds does not grow with them. */
const targetType = oneOf(['phone_number', 'email_address'])
const confidence = oneOf(['maximum', 'high', 'neutral', 'low', 'minimum'])
/** What a report is about beside its target, as far as it was said, in clear: none of it tells who the person is. */
const details = {
  /** The evaluation that it is about, and no other. */
  evaluation_id: nonEmptyString,
  /** When it happened, in milliseconds since the Unix epoch: not after it was received. */
  occurred_at: epochMs,
  /** Decimal text, with its currency as ISO 4217 writes it. */
  amount: nonEmptyString,
  currency: nonEmptyString,
  /** Keyed digest of the correlation id, by which the report is found. */
  correlation: nonEmptyString,
  /** Keyed digest of the id of the dispatch that it names: with the person its signals are erased, too. */
  dispatch_subject: nonEmptyString,
  /** Keyed digests of the signals of that dispatch. */
  signal_digests: object({}, signalDigestFields),
}
export type RecordedDetails = TypeOf<
  ReturnType<typeof object<Record<never, never>, typeof details>>
>

/** What the caller calls its own things; absent ones were not sent. */
const names = { dispatch_id: nonEmptyString, correlation_id: nonEmptyString }
const feedbackContext = object({}, { ...names, signals: object({}, commonSignalFields) })
/** `note` is the reason of a review's answer. */
const eventContext = object({}, { ...names, note: nonEmptyString })
export type FeedbackContext = TypeOf<typeof feedbackContext>

export const feedbackEvents = {
  FeedbackReceived: {
    schema: object(
      {
        feedback_id: nonEmptyString,
        type: oneOf(['verification.started', 'verification.completed']),
        target_type: targetType,
      },
      { ...details, ...talliesField },
    ),
    personal: {
      /** The canonical value. */
      target: { subject: toTargetSubject, schema: nonEmptyString },
      context: { subject: toTargetSubject, schema: feedbackContext },
    },
  },
}

export const reportedEvents = {
  EventReported: {
    schema: object(
      {
        event_id: nonEmptyString,
        label: nonEmptyString,
        confidence,
        target_type: targetType,
      },
      details,
    ),
    personal: {
      target: { subject: toTargetSubject, schema: nonEmptyString },
      context: { subject: toTargetSubject, schema: eventContext, optional: true as const },
    },
  },
}

export type FeedbackEvent = EventOf<typeof feedbackEvents>
export type ReportedEvent = EventOf<typeof reportedEvents>

const kinds = { phone_number: 'phone', email_address: 'email' } as const

interface OfTarget {
  readonly target_type: keyof typeof kinds
  readonly target: string
}

/** All that is said of a person is under the subject of the number or the address that it is said of. */
function toTargetSubject({ target_type, target }: OfTarget): DataSubject {
  return { kind: kinds[target_type], value: target }
}
