/** The event types of the identifier family, as the catalogue needs them. */

import { type Definitions, plain } from '../recording/definition.ts'
import { object, time, word } from '../recording/schema.ts'
import type { IdentifierEvent } from './identifier.ts'

export const identifierEvents: Definitions<IdentifierEvent> = {
  IdentifierClaimed: plain(object({ user_id: word, app_id: word, claimed_at: time })),
  NameClaimed: plain(object({ user_id: word, app_id: word, claimed_at: time })),
  IdentifierReleased: plain(object({ user_id: word, app_id: word })),
}
