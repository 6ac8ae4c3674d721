/** Declares feedback and reported events (streams `feedback-…`, `reported_event-…`). */

import type { TypeOf } from '../../domain/jsonSchema.ts'
import type { DataSubject, EventOf } from '../recording/eventDefinition.ts'
import { nonEmptyString, object, oneOf } from '../recording/eventSchema.ts'
import { commonSignalFields } from '../signals/dispatch.ts'

/** By name, not by the lists of those there are: what version 1 holds does not grow with them. */
const targetType = oneOf(['phone_number', 'email_address'])
/** The fields of feedback beside its type; absent ones were not sent. */
const context = object(
  {},
  {
    dispatch_id: nonEmptyString,
    correlation_id: nonEmptyString,
    signals: object({}, commonSignalFields),
  },
)
export type FeedbackContext = TypeOf<typeof context>

export const feedbackEvents = {
  FeedbackReceived: {
    schema: object(
      {
        feedback_id: nonEmptyString,
        type: oneOf(['verification.started', 'verification.completed']),
        target_type: targetType,
      },
      // keyed digest of the correlation id, by which the feedback is found
      { correlation: nonEmptyString },
    ),
    personal: {
      /** The canonical value. */
      target: { subject: toTargetSubject, schema: nonEmptyString },
      context: { subject: toTargetSubject, schema: context },
    },
  },
}

export const reportedEvents = {
  EventReported: {
    schema: object({
      event_id: nonEmptyString,
      label: nonEmptyString,
      confidence: oneOf(['maximum', 'high', 'neutral', 'low', 'minimum']),
      target_type: targetType,
    }),
    personal: { target: { subject: toTargetSubject, schema: nonEmptyString } },
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
