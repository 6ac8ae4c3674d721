/** The entries of the phone lists, in the order in which they were added. */

import type { PhoneList } from '../../domain/phoneLists.ts'
import { phoneLists } from '../../domain/phoneLists.ts'
import type { ErasureEvent } from '../../events/audit/erasure.ts'
import type { PhoneListEvent } from '../../events/lists/phoneList.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import { isSealed } from '../../events/recording/sealing.ts'
import { defineProjection } from '../running/defineProjection.ts'
import { collectionOf } from '../running/projection.ts'
import { entrySubject } from './entrySubject.ts'

type Listed = Extract<PhoneListEvent, { type: 'PhoneNumberListed' }>

/** By `{account}/{list}/{subject digest}`. */
export interface PhoneNumberDocument {
  readonly account: string
  readonly list: PhoneList
  /** Position of the event that put the number on the list. */
  readonly added: number
  /** The last event of the entry, its personal fields sealed. */
  readonly event_id: string
  readonly event_position: number
  readonly data: Listed['data']
}

const identity = { name: 'phone_numbers', version: 1 } as const
export const phoneNumberCollection = collectionOf<PhoneNumberDocument>({
  projection: identity,
  indexes: [['account', 'list', 'added']],
})

type Event = PhoneListEvent | ErasureEvent

export const phoneNumbers = defineProjection<Event, PhoneNumberDocument>({
  ...identity,
  collections: [phoneNumberCollection],
  handles: ['PhoneNumberListed', 'PhoneNumberUnlisted', 'SubjectErased'],
  targets: ({ event, metadata }) => {
    const { account } = metadata
    const [lists, subject] =
      event.type === 'SubjectErased'
        ? [phoneLists, event.data.subject]
        : [[event.data.list], entrySubject(metadata)]
    return lists.map((list) => ({
      collection: phoneNumberCollection,
      id: `${account}/${list}/${subject}`,
    }))
  },
  apply: (entry, { event, ...recorded }) => {
    switch (event.type) {
      case 'PhoneNumberListed':
        return listed(entry, { ...recorded, event })
      case 'PhoneNumberUnlisted':
        return null
      case 'SubjectErased':
        return entry && isErased(entry, event.data.keys) ? null : (entry ?? null)
    }
  },
})

function listed(
  entry: PhoneNumberDocument | undefined,
  { event: { data }, id = '', metadata, position }: DecodedEvent<Listed>,
): PhoneNumberDocument {
  const isChange = entry !== undefined && entry.data.listed_at === data.listed_at
  return {
    account: metadata.account,
    list: data.list,
    added: isChange ? entry.added : position,
    event_id: id,
    event_position: position,
    data,
  }
}

/** An entry that was written while the person was being erased may be under another key. */
function isErased({ data }: PhoneNumberDocument, keys: readonly string[]): boolean {
  return isSealed(data.phone_number) && keys.includes(data.phone_number.sealed.key)
}
