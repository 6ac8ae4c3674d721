/** Declares the request schemas of signals (spec 2.3). */

import type { FeedbackSignals } from '../../domain/evaluation/feedback.ts'
import { limits, optional, optionalFields, type Schema } from '../../domain/schema.ts'
import {
  type CallerSignal,
  type DeviceSignal,
  devicePlatforms,
  type Signals,
} from '../../domain/signals/signals.ts'
import { inputSchema, lenientSchema } from '../request/schema/fields.ts'
import type { GivenSignals } from './readSignals.ts'

const text: Schema = { type: 'string', maxLength: limits.text }

/** Caller-defined signals by name. Beyond the range of a number, JSON does not keep its digits: such a number is sent as text. */
export const extMap: Schema = {
  type: 'object',
  maxProperties: limits.extEntries,
  propertyNames: { minLength: 1, maxLength: limits.extKey },
  additionalProperties: {
    type: ['string', 'number', 'boolean'],
    maxLength: limits.text,
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  },
}

const deviceFields = optionalFields({
  ip: { ...text, description: "Public IP address of the end user's device; v4 or v6." },
  device_id: { ...text, description: 'Unique id per user device.' },
  device_platform: { type: 'string', enum: [...devicePlatforms, ''] },
  device_model: text,
  os_version: text,
  app_version: text,
  user_agent: text,
  ja4_fingerprint: text,
} satisfies Record<DeviceSignal, Schema>)

const callerFields = optionalFields({
  is_trusted_user: { type: 'boolean' },
  existing_user: { type: 'boolean' },
} satisfies Record<CallerSignal, Schema>)

/** Names a dispatch (spec 2.1). */
export const dispatchIdSchema: Schema = {
  type: 'string',
  minLength: 36,
  maxLength: 36,
  description: 'Identifier of a dispatch from the front-end SDK.',
}

/** The signals that feedback carries (spec 2.7); any other is ignored, and an empty text counts as omitted. */
export const feedbackSignalsSchema: Schema = lenientSchema<FeedbackSignals>('FeedbackSignals', {
  ...deviceFields,
  is_trusted_user: callerFields.is_trusted_user,
})

/** The signals that a front end can observe; any other is refused. */
export function deviceSignalsSchema(title: string, facts: Schema = {}): Schema {
  return inputSchema<Pick<Signals, DeviceSignal>>(title, deviceFields, facts)
}

/** As in a request: a field that is not known is ignored, and an empty text counts as omitted (spec 2.3). */
export const signalsSchema: Schema = lenientSchema<GivenSignals>('Signals', {
  ...deviceFields,
  ...callerFields,
  ext: optional({
    ...extMap,
    description:
      'Caller-defined signals, read by rules as signal.ext.<key>: always text. A number or a boolean is recorded as its text, 900.5 as "900.5".',
  }),
})
