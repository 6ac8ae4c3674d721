/** The event types of the dispatch family, as the catalogue needs them. */

import { callerSignals, deviceSignals } from '../../domain/signals.ts'
import type { Definitions } from '../recording/definition.ts'
import type { JsonSchema } from '../recording/schema.ts'
import { flag, object, text, word } from '../recording/schema.ts'
import type { DispatchEvent } from './dispatch.ts'

const each = (names: readonly string[], schema: JsonSchema) =>
  Object.fromEntries(names.map((name) => [name, schema]))

const signals = object(
  {},
  {
    ...each(deviceSignals, text),
    ...each(callerSignals, flag),
    ext: { type: 'object', additionalProperties: text },
  },
)

export const dispatchEvents: Definitions<DispatchEvent> = {
  SignalsDispatched: {
    version: 1,
    schema: object({ dispatch: word }),
    upcasters: [],
    personal: {
      signals: { subject: (data) => ({ digest: data.dispatch }), schema: signals },
    },
  },
}
