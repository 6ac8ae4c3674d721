/** Declares the events of saved searches (streams `searches-{account}`), and folds them. */

import { defineNonPersonalEvent, type EventOf } from '../recording/eventDefinition.ts'
import { nonEmptyString } from '../recording/eventSchema.ts'

const conditions = { where: nonEmptyString, flow_id: nonEmptyString }

export const savedSearchEvents = {
  /** The conditions name no person: they are in clear. */
  SearchSaved: defineNonPersonalEvent(
    { search_id: nonEmptyString, name: nonEmptyString },
    conditions,
  ),
  SearchDeleted: defineNonPersonalEvent({ search_id: nonEmptyString }),
}

export type SavedSearchEvent = EventOf<typeof savedSearchEvents>

export interface SavedSearch {
  readonly id: string
  readonly name: string
  readonly where?: string
  readonly flow_id?: string
}

export const searchesStream = (account: string): string => `searches-${account}`

/** The searches of an account in the order in which they were saved, after one more event. */
export function evolveSearches(
  before: readonly SavedSearch[],
  { type, data }: SavedSearchEvent,
): readonly SavedSearch[] {
  if (type === 'SearchDeleted') return before.filter(({ id }) => id !== data.search_id)
  const { search_id: id, ...search } = data
  return [...before, { id, ...search }]
}
