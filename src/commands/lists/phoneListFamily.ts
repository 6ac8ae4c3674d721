/** How the events of one number on one list add up in memory. */

import type { PhoneListEvent } from '../../events/lists/phoneList.ts'
import type { Family } from '../handling/family.ts'

/** What an entry says is personal, so only where it says it is held. */
export interface PhoneListState {
  /** Of the last event; -1 before the first. */
  readonly revision: number
  /** Whether the last event put the number on the list. */
  readonly listed: boolean
}

const nothing: PhoneListState = { revision: -1, listed: false }

export const phoneListFamily: Family<PhoneListState, PhoneListEvent> = {
  initial: () => nothing,
  evolve: ({ revision }, { type }) => ({
    revision: revision + 1,
    listed: type === 'PhoneNumberListed',
  }),
  weigh: () => 0,
  snapshot: {
    shape: 'phone list 1',
    take: (state) => [state],
    build: () => {
      let state = nothing
      return {
        add: (part) => {
          state = part as PhoneListState
        },
        state: () => state,
      }
    },
  },
}
