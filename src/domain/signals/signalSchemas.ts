/** Declares the request schemas of signals (spec 2.3). */

import {
  asSchemaOf,
  booleanSchema,
  closedObject,
  inputLimits,
  openObject,
  optional,
  optionalFields,
  type Schema,
  type TypeOf,
} from '../jsonSchema.ts'
import { devicePlatforms } from './signals.ts'

const text = { type: 'string', maxLength: inputLimits.stringSchema } as const

/**
 * Caller-defined signals by name. Beyond the range of a number, JSON does not keep its digits: such a number is sent as
 * text.
 */
export const extMap = {
  type: 'object',
  maxProperties: inputLimits.extEntries,
  propertyNames: { minLength: 1, maxLength: inputLimits.extKey },
  additionalProperties: {
    type: ['string', 'number', 'boolean'],
    maxLength: inputLimits.stringSchema,
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  },
} as const

const deviceFields = optionalFields({
  ip: { ...text, description: "Public IP address of the end user's device; v4 or v6." },
  device_id: { ...text, description: 'Unique id per user device.' },
  device_platform: asSchemaOf<string>({ type: 'string', enum: [...devicePlatforms, ''] }),
  device_model: text,
  os_version: text,
  app_version: text,
  user_agent: text,
  ja4_fingerprint: text,
})

const callerFields = optionalFields({
  is_trusted_user: booleanSchema,
  existing_user: booleanSchema,
})

/** Names a dispatch (spec 2.1). */
export const dispatchIdSchema = {
  type: 'string',
  minLength: 36,
  maxLength: 36,
  description: 'Identifier of a dispatch from the front-end SDK.',
} as const

/** The signals that feedback carries (spec 2.7); any other is ignored, and an empty text counts as omitted. */
export const feedbackSignalsSchema = openObject('FeedbackSignals', {
  ...deviceFields,
  is_trusted_user: callerFields.is_trusted_user,
})

export type FeedbackSignals = TypeOf<typeof feedbackSignalsSchema>

/** The signals that a front end can observe; any other is refused. */
export function deviceSignalsSchema(title: string, facts: Schema = {}) {
  return closedObject(title, deviceFields, facts)
}

/** As in a request: a field that is not known is ignored, and an empty text counts as omitted (spec 2.3). */
export const signalsSchema = openObject('Signals', {
  ...deviceFields,
  ...callerFields,
  ext: optional({
    ...extMap,
    description:
      'Caller-defined signals, read by rules as signal.ext.<key>, always as text: the number 900.5 as "900.5".',
  }),
})

/** Signals as they are sent. */
export type SignalsInput = TypeOf<typeof signalsSchema>
export type ExtInput = TypeOf<typeof extMap>
