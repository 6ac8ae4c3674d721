/** How the events of an account's sender IDs add up in memory. */

import {
  type SenderIdEvent,
  type SenderIdState,
  standingAfter,
} from '../../events/verification/senderId.ts'
import type { Family } from '../handling/family.ts'

/** About what a sender ID takes, beside the text of its reason. */
const senderIdBytes = 200

export const senderIdFamily: Family<SenderIdState, SenderIdEvent> = {
  initial: () => new Map(),
  evolve: (state, event) => state.set(event.data.sender_id, standingAfter(event)),
  weigh: (state) => {
    let bytes = 0
    for (const { reason = '' } of state.values()) bytes += senderIdBytes + reason.length * 2
    return bytes
  },
}
