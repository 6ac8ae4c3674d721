/** How the events of one entry of a list add up in memory. */

import type { EntryEvent } from '../../events/lists/listEntry.ts'
import type { Family } from '../handling/family.ts'

/** What an entry says is personal, so only where it says it is held. */
export interface ListEntryState {
  /** Of the last event; -1 before the first. */
  readonly revision: number
  /** Whether the last event put the value on the list. */
  readonly listed: boolean
}

const nothing: ListEntryState = { revision: -1, listed: false }

export const listEntryFamily: Family<ListEntryState, EntryEvent> = {
  initial: () => nothing,
  evolve: ({ revision }, { type }) => ({
    revision: revision + 1,
    listed: type === 'PhoneNumberListed' || type === 'ListEntryAdded',
  }),
  weigh: () => 0,
}
