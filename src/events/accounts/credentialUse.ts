/** Declares uses of tokens and SDK keys (`token_use-{token}-{hour}`, `sdk_key_use-{key}-{hour}`). */

import { type EventOf, plain } from '../recording/definition.ts'
import { object, word } from '../recording/schema.ts'

/** The first recorded use of a token within an hour; its time is in the metadata. */
export const tokenUseEvents = { ApiTokenUsed: plain(object({ token_id: word })) }
export type TokenUseEvent = EventOf<typeof tokenUseEvents>

/** Same, of a front end's key. */
export const sdkKeyUseEvents = { SdkKeyUsed: plain(object({ key_id: word })) }
export type SdkKeyUseEvent = EventOf<typeof sdkKeyUseEvents>
