/** Declares uses of tokens and SDK keys (`token_use-{token}-{hour}`, `sdk_key_use-{key}-{hour}`). */

import { type Definitions, plain } from '../recording/definition.ts'
import type { DomainEvent } from '../recording/event.ts'
import { object, word } from '../recording/schema.ts'

/** The first recorded use of a token within an hour; its time is in the metadata. */
export type TokenUseEvent = DomainEvent<'ApiTokenUsed', { readonly token_id: string }>

/** The same of a front end's key. */
export type SdkKeyUseEvent = DomainEvent<'SdkKeyUsed', { readonly key_id: string }>

export const tokenUseEvents: Definitions<TokenUseEvent> = {
  ApiTokenUsed: plain(object({ token_id: word })),
}

export const sdkKeyUseEvents: Definitions<SdkKeyUseEvent> = {
  SdkKeyUsed: plain(object({ key_id: word })),
}
