/** Declares and folds the events of named lists, without their entries; finds a list by name. */

import { defineNonPersonalEvent, type EventOf } from '../recording/eventDefinition.ts'
import { nonEmptyString, oneOf } from '../recording/eventSchema.ts'

/** By name, not by the list of those there are: what version 1 holds does not grow with it. */
export const listKindSchema = oneOf([
  'phone_number',
  'email_address',
  'email_domain',
  'ip_range',
  'text',
])

export const namedListEvents = {
  /** `name` as rules write it; no two lists of an account have the same. */
  ListCreated: defineNonPersonalEvent(
    { list_id: nonEmptyString, name: nonEmptyString, kind: listKindSchema },
    { description: nonEmptyString },
  ),
  /** The description is another one, or is gone. */
  ListChanged: defineNonPersonalEvent({ list_id: nonEmptyString }, { description: nonEmptyString }),
  ListDeleted: defineNonPersonalEvent({ list_id: nonEmptyString }),
}

export type NamedListEvent = EventOf<typeof namedListEvents>
export type NamedList = Omit<Extract<NamedListEvent, { type: 'ListCreated' }>['data'], 'list_id'>

/** Folds one more event into the lists; mutates them. */
export function evolveNamedLists(lists: Map<string, NamedList>, event: NamedListEvent): void {
  const { list_id } = event.data
  const after = applyListEvent(lists.get(list_id), event)
  if (after) lists.set(list_id, after)
  else lists.delete(list_id)
}

function applyListEvent(
  before: NamedList | undefined,
  event: NamedListEvent,
): NamedList | undefined {
  switch (event.type) {
    case 'ListCreated': {
      const { list_id: _, ...list } = event.data
      return list
    }
    case 'ListChanged': {
      if (!before) return undefined
      const { description } = event.data
      const { name, kind } = before
      return { name, kind, ...(description !== undefined && { description }) }
    }
    case 'ListDeleted':
      return undefined
  }
}

/** The list of this name, with its id; undefined when there is none. */
export function findListByName(
  lists: Iterable<readonly [string, NamedList]>,
  name: string,
): (NamedList & { readonly id: string }) | undefined {
  for (const [id, list] of lists) if (list.name === name) return { id, ...list }
  return undefined
}
