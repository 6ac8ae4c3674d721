/** Projects the entries of lists in order of creation, and the lists that were deleted. */

import { phoneLists } from '../../domain/lists/lists.ts'
import type { ErasureEvent } from '../../events/audit/erasure.ts'
import { type EntryEvent, requireEntrySubject, toEntryFact } from '../../events/lists/listEntry.ts'
import { type DecodedEvent, logEpoch } from '../../events/recording/event.ts'
import { isSealed } from '../../events/recording/sealing.ts'
import type { RulebookEvent } from '../../events/rulebook/rulebook.ts'
import { defineCollection, defineExpiry, defineProjection } from '../running/projection.ts'

/** By `{account}/{list}/{subject digest}`. */
export interface ListEntryDocument {
  readonly account: string
  /** A phone list by its name, any other by its id. */
  readonly list: string
  /** Position of the event that put the value on the list. */
  readonly added: number
  /** The last event of the entry, its personal fields sealed. */
  readonly event_id: string
  readonly event_position: number
  /** When the entry expires; absent when it does not. */
  readonly expires_at?: number
  readonly data: ListedData
}

type ListedData = Extract<
  EntryEvent,
  { readonly type: 'PhoneNumberListed' | 'ListEntryAdded' }
>['data']

const identity = { name: 'list_entries', version: 2 } as const
export const listEntryCollection = defineCollection<ListEntryDocument>({
  projection: identity,
  indexes: [['account', 'list', 'added'], ['expires_at']],
})
const deletedListCollection = defineCollection<DeletedListDocument>({
  projection: identity,
  name: 'deleted_lists',
  indexes: [['deleted_at']],
})

type Event = EntryEvent | ErasureEvent | ListDeleted

export const listEntriesProjection = defineProjection<
  Event,
  ListEntryDocument | DeletedListDocument
>({
  ...identity,
  collections: [listEntryCollection, deletedListCollection],
  expiries: [
    defineExpiry({ collection: listEntryCollection, field: 'expires_at' }),
    defineExpiry({
      collection: deletedListCollection,
      field: 'deleted_at',
      alsoDeletes: ({ account, list }) => ({
        collection: listEntryCollection,
        where: { account, list },
        sort: ['added'],
      }),
    }),
  ],
  eventTypes: [
    'PhoneNumberListed',
    'PhoneNumberUnlisted',
    'ListEntryAdded',
    'ListEntryRemoved',
    'SubjectErased',
    'ListDeleted',
  ],
  targets: ({ event, metadata }) => {
    const { account } = metadata
    if (event.type === 'ListDeleted') {
      return [{ collection: deletedListCollection, id: `${account}/${event.data.list_id}` }]
    }
    // erased entries of other lists cannot be opened any more, and no query returns them
    const [lists, subject] =
      event.type === 'SubjectErased'
        ? [phoneLists, event.data.subject]
        : [[toEntryFact(event).list], requireEntrySubject(metadata)]
    return lists.map((list) => ({
      collection: listEntryCollection,
      id: `${account}/${list}/${subject}`,
    }))
  },
  apply: (document, { event, ...recorded }) => {
    if (event.type === 'ListDeleted') {
      const { account, time } = recorded.metadata
      return { account, list: event.data.list_id, deleted_at: time }
    }
    // every other event has entries for its targets
    const entry = document as ListEntryDocument | undefined
    switch (event.type) {
      case 'SubjectErased':
        return entry && isErased(entry, event.data.keys) ? null : (entry ?? null)
      case 'PhoneNumberUnlisted':
      case 'ListEntryRemoved':
        return null
      default:
        return buildEntryDocument(entry, { ...recorded, event })
    }
  },
})

type Listed = Extract<EntryEvent, { readonly data: ListedData }>

function buildEntryDocument(
  entry: ListEntryDocument | undefined,
  { event, id = '', metadata, position }: DecodedEvent<Listed>,
): ListEntryDocument {
  const isChange = entry !== undefined && entry.data.listed_at === event.data.listed_at
  return {
    account: metadata.account,
    list: toEntryFact(event).list,
    added: isChange ? entry.added : position,
    event_id: id,
    event_position: position,
    ...(event.data.expires_at !== undefined && { expires_at: event.data.expires_at }),
    data: event.data,
  }
}

/** The last event of an entry, with the fields that opening it needs. */
export function rebuildLastEntryEvent({
  account,
  event_id: id,
  event_position: position,
  data,
}: ListEntryDocument) {
  const metadata = {
    account,
    actor: '',
    request: '',
    command: '',
    time: 0,
    epoch: logEpoch,
    version: 1,
  }
  const event: Listed =
    'list_id' in data ? { type: 'ListEntryAdded', data } : { type: 'PhoneNumberListed', data }
  return { id, event, metadata, stream: '', revision: 0, position } satisfies DecodedEvent<Listed>
}

/** An entry that was written while the person was being erased may be under another key. */
function isErased(document: ListEntryDocument, keys: readonly string[]): boolean {
  const { value } = toEntryFact(rebuildLastEntryEvent(document).event).said
  return isSealed(value) && keys.includes(value.sealed.key)
}

export type ListDeleted = Extract<RulebookEvent, { type: 'ListDeleted' }>

/** By `{account}/{list}`, until all its entries are deleted. */
export interface DeletedListDocument {
  readonly account: string
  readonly list: string
  /** In milliseconds since the Unix epoch. */
  readonly deleted_at: number
}
