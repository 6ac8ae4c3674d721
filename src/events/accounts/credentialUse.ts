/** Declares hourly uses of API tokens and SDK keys (streams `token_use-…`, `sdk_key_use-…`). */

import { type EventOf, nonPersonal } from '../recording/definition.ts'
import { object, word } from '../recording/schema.ts'

/** The first recorded use of a token within an hour; its time is in the metadata. */
export const tokenUseEvents = { ApiTokenUsed: nonPersonal(object({ token_id: word })) }
export type TokenUseEvent = EventOf<typeof tokenUseEvents>

/** Same, of a front end's key. */
export const sdkKeyUseEvents = { SdkKeyUsed: nonPersonal(object({ key_id: word })) }
export type SdkKeyUseEvent = EventOf<typeof sdkKeyUseEvents>
