/** The event types of the dispatch family, as the catalogue needs them. */

import type { Definitions } from '../recording/definition.ts'
import { flag, mapOf, object, text, word } from '../recording/schema.ts'
import type { DispatchEvent } from './dispatch.ts'

/** By name, not by the list of those there are: what version 1 holds does not grow with it. */
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
    existing_user: flag,
    ext: mapOf(text),
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
