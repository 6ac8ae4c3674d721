/** The event types of the family of sender IDs, as the catalogue needs them. */

import { type Definitions, plain } from '../recording/definition.ts'
import { object, word } from '../recording/schema.ts'
import type { SenderIdEvent } from './senderId.ts'

export const senderIdEvents: Definitions<SenderIdEvent> = {
  SenderIdSubmitted: plain(object({ sender_id: word })),
  SenderIdApproved: plain(object({ sender_id: word }, { reason: word })),
  SenderIdRejected: plain(object({ sender_id: word, reason: word })),
}
