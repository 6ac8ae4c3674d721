/** Declares events of entries of phone and named lists; converts them to and from one form. */
// A stream is named by a keyed digest of account, list and value.

import type { TypeOf } from '../../domain/jsonSchema.ts'
import {
  isPhoneList,
  type ListAddress,
  type ListKind,
  subjectKindByListKind,
} from '../../domain/lists/lists.ts'
import type { EventMetadata } from '../recording/event.ts'
import type { DataSubject, EventOf } from '../recording/eventDefinition.ts'
import { epochMs, integerFrom, nonEmptyString, object, oneOf } from '../recording/eventSchema.ts'
import type { PersonalValue } from '../recording/sealing.ts'
import { listKindSchema } from '../rulebook/namedListEvents.ts'

/** The beginnings of the names of the streams of entries: of phone lists, and of named ones. */
export const phoneListStreamPrefix = 'phone_list-'
export const listEntryStreamPrefix = 'list_entry-'

/** The stream of an entry, by the keyed digest of account, list and subject. */
export function entryStream(list: string, digest: string): string {
  return `${isPhoneList(list) ? phoneListStreamPrefix : listEntryStreamPrefix}${digest}`
}

/** The keyed digest of the one subject of an entry's event. Throws when it names none. */
export function requireEntrySubject({ subjects = [] }: Pick<EventMetadata, 'subjects'>): string {
  const [subject] = subjects
  if (!subject) throw new Error('an entry of a list is about nobody')
  return subject.digest
}

/** The content of an entry; `value` and `reason` sealed, opened or forgotten as in the event. */
interface EntryFields {
  readonly value: PersonalValue<string>
  readonly reason?: PersonalValue<string>
  readonly listed_at: number
  readonly expires_at?: number
}

/** What an event says of its entry. */
export type EntryChange =
  | { readonly isListed: true; readonly said: EntryFields }
  | { readonly isListed: false; readonly said: Pick<EntryFields, 'value' | 'reason'> }

/** An event of an entry, whatever list it is on. */
export type EntryFact = ListAddress & { readonly network?: NetworkSize | undefined } & EntryChange

/** The content of the event, whichever kind of list it is of. */
export function toEntryFact(event: EntryEvent): EntryFact {
  switch (event.type) {
    case 'PhoneNumberListed': {
      const { list, phone_number: value, ...said } = event.data
      return { list, kind: 'phone_number', isListed: true, said: { value, ...said } }
    }
    case 'PhoneNumberUnlisted': {
      const { list, phone_number: value, ...said } = event.data
      return { list, kind: 'phone_number', isListed: false, said: { value, ...said } }
    }
    case 'ListEntryAdded': {
      const { list_id: list, kind, network, ...said } = event.data
      return { list, kind, network, isListed: true, said }
    }
    case 'ListEntryRemoved': {
      const { list_id: list, kind, network, ...said } = event.data
      return { list, kind, network, isListed: false, said }
    }
  }
}

/** The event with this content, of the list's own type. */
export function toEntryEvent({ list, kind, network, ...fact }: EntryFact): EntryEvent {
  if (isPhoneList(list) && fact.isListed) {
    const { value: phone_number, ...said } = fact.said
    return { type: 'PhoneNumberListed', data: { list, phone_number, ...said } }
  }
  if (isPhoneList(list)) {
    const { value: phone_number, reason } = fact.said
    const data = { list, phone_number, ...(reason !== undefined && { reason }) }
    return { type: 'PhoneNumberUnlisted', data }
  }
  const of = { list_id: list, kind, ...(network && { network }) }
  return fact.isListed
    ? { type: 'ListEntryAdded', data: { ...of, ...fact.said } }
    : { type: 'ListEntryRemoved', data: { ...of, ...fact.said } }
}

const ofNumber = ({ phone_number }: { readonly phone_number: string }): DataSubject => ({
  kind: 'phone',
  value: phone_number,
})

const personalOfNumber = {
  /** E.164. */
  phone_number: { subject: ofNumber, schema: nonEmptyString },
  reason: { subject: ofNumber, schema: nonEmptyString, optional: true },
} as const

/** By name, not by the list of those there are: what version 1 holds does not grow with it. */
const phoneList = oneOf(['allow', 'block'])

/** Of a network: how many bits of the address are given, and of which version of IP it is. */
const network = object({ version: integerFrom(4), prefix: integerFrom(1) })
const of = { list_id: nonEmptyString, kind: listKindSchema }

interface Entry {
  readonly kind: ListKind
  readonly value: string
}

/**
 * Every value stands for itself, a number or an address as everywhere else: who is erased disappears from every list.
 */
const ofValue = ({ kind: of, value }: Entry): DataSubject => ({
  kind: subjectKindByListKind[of],
  value,
})

const personal = {
  value: { subject: ofValue, schema: nonEmptyString },
  reason: { subject: ofValue, schema: nonEmptyString, optional: true },
} as const

/** Times are in milliseconds since the Unix epoch. */
export const listEntryEvents = {
  PhoneNumberListed: {
    schema: object({ list: phoneList, listed_at: epochMs }, { expires_at: epochMs }),
    personal: personalOfNumber,
  },
  PhoneNumberUnlisted: { schema: object({ list: phoneList }), personal: personalOfNumber },
  ListEntryAdded: {
    schema: object(
      // since when it is listed without a break: the time of the event, or that of an entry which this one replaces
      { ...of, listed_at: epochMs },
      // from when on it is not listed any more; absent where it stays
      { network, expires_at: epochMs },
    ),
    personal,
  },
  ListEntryRemoved: { schema: object(of, { network }), personal },
}

/** Any entry's. */
export type EntryEvent = EventOf<typeof listEntryEvents>
export type NetworkSize = TypeOf<typeof network>
