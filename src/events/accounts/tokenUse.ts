/** The family of token uses: streams `token_use-{token}-{hour}`, of one event each. */

import { type Definitions, plain } from '../recording/definition.ts'
import type { DomainEvent } from '../recording/event.ts'
import { object, word } from '../recording/schema.ts'

/** The first use of a token within an hour that was noticed; its metadata says when. */
export type TokenUseEvent = DomainEvent<'ApiTokenUsed', { readonly token_id: string }>

export const tokenUseEvents: Definitions<TokenUseEvent> = {
  ApiTokenUsed: plain(object({ token_id: word })),
}
