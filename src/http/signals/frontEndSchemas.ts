/** A dispatch as a front end sends it in JSON. */

import { devicePlatforms, type SaidSignal, type Signals } from '../../domain/signals.ts'
import { inputSchema, optionalFields } from '../request/fields.ts'
import type { Schema } from '../request/schema.ts'

/** Characters of one signal: what a device says of itself is short, and whoever has a public key may say it. */
export const saidTextMax = 1_024

type Said = Pick<Signals, SaidSignal>

/** A body as its schema lets it through. */
export interface SentDispatch {
  readonly dispatch_id: string
  readonly signals: Said
}

const text: Schema = { type: 'string', maxLength: saidTextMax }

const frontEndSignals: Schema = inputSchema<Said>(
  'FrontEndSignals',
  optionalFields({
    device_id: { ...text, description: 'Unique id per user device.' },
    device_platform: { type: 'string', enum: [...devicePlatforms, ''] },
    device_model: text,
    os_version: text,
    app_version: text,
    user_agent: { ...text, description: "Without it the header 'User-Agent' is taken." },
  } satisfies Record<SaidSignal, Schema>),
  {
    description:
      'What a front end says of its device; an empty text counts as omitted. Its address and its JA4 fingerprint are taken from the connection.',
  },
)

export const frontEndDispatchSchema: Schema = inputSchema<SentDispatch>('FrontEndDispatch', {
  dispatch_id: {
    type: 'string',
    minLength: 36,
    maxLength: 36,
    description: 'Made by the front end, a UUID of version 7 for example; an evaluation names it.',
  },
  signals: frontEndSignals,
})
