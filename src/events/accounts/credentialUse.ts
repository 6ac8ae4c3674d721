/** Declares hourly uses of API tokens and SDK keys (streams `token_use-…`, `sdk_key_use-…`). */

import { defineNonPersonalEvent, type EventOf } from '../recording/eventDefinition.ts'
import { nonEmptyString } from '../recording/eventSchema.ts'

/** The first recorded use of a token within an hour; its time is in the metadata. */
export const tokenUseEvents = {
  ApiTokenUsed: defineNonPersonalEvent({ token_id: nonEmptyString }),
}
export type TokenUseEvent = EventOf<typeof tokenUseEvents>

/** Same, of a front end's key. */
export const sdkKeyUseEvents = {
  SdkKeyUsed: defineNonPersonalEvent({ key_id: nonEmptyString }),
}
export type SdkKeyUseEvent = EventOf<typeof sdkKeyUseEvents>
