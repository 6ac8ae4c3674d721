/** Declares the event of a dispatch (streams `dispatch-{digest of account and dispatch id}`). */

import type { EventOf } from '../recording/eventDefinition.ts'
import { boolean, mapOf, nonEmptyString, object, text } from '../recording/eventSchema.ts'
import { signalDigestFields } from '../recording/lookupDigest.ts'
import { talliesField } from '../recording/tallies.ts'

/** The stream of a dispatch; `digest` is the keyed digest of the account and the dispatch's id. */
export function dispatchStream(digest: string): string {
  return `dispatch-${digest}`
}

/**
 * By name, not by the list of those there are: what version 1 of dispatches and of feedback holds does not grow with
 * it.
 */
export const commonSignalFields = {
  ip: text,
  device_id: text,
  device_platform: text,
  device_model: text,
  os_version: text,
  app_version: text,
  user_agent: text,
  ja4_fingerprint: text,
  is_trusted_user: boolean,
}
const signals = object({}, { ...commonSignalFields, existing_user: boolean, ext: mapOf(text) })

export const dispatchEvents = {
  SignalsDispatched: {
    /** `dispatch`: keyed digest of the dispatch id, the subject and the stream. */
    schema: object(
      { dispatch: nonEmptyString },
      // keyed digests of its signals
      { digests: object({}, signalDigestFields), ...talliesField },
    ),
    personal: {
      signals: {
        subject: ({ dispatch }: { readonly dispatch: string }) => ({ digest: dispatch }),
        schema: signals,
      },
    },
  },
}

export type DispatchEvent = EventOf<typeof dispatchEvents>
