/** The event types of the family of token uses, as the catalogue needs them. */

import { type Definitions, plain } from '../recording/definition.ts'
import { object, word } from '../recording/schema.ts'
import type { TokenUseEvent } from './tokenUse.ts'

export const tokenUseEvents: Definitions<TokenUseEvent> = {
  ApiTokenUsed: plain(object({ token_id: word })),
}
