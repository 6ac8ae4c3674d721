/** The event types of what callers report, as the catalogue needs them. */

import type { TargetType } from '../../domain/feedback.ts'
import type { Clear, Definitions, SubjectOf } from '../recording/definition.ts'
import { flag, object, oneOf, text, word } from '../recording/schema.ts'
import type { EventReported, FeedbackEvent, FeedbackReceived, ReportedEvent } from './feedback.ts'

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
    version: 1,
    schema: object(
      {
        feedback_id: word,
        type: oneOf(['verification.started', 'verification.completed']),
        target_type: targetType,
      },
      { correlation: word },
    ),
    upcasters: [],
    personal: {
      target: { subject: targetSubject, schema: word },
      context: {
        subject: targetSubject,
        schema: object({}, { dispatch_id: word, correlation_id: word, signals }),
      },
    },
  },
  EventReported: {
    version: 1,
    schema: object({
      event_id: word,
      label: word,
      confidence: oneOf(['maximum', 'high', 'neutral', 'low', 'minimum']),
      target_type: targetType,
    }),
    upcasters: [],
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
