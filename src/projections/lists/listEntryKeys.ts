/** Projects the lookup keys of list values, many in one document, for the list cache. */

/**
 * An instance reads few documents to know that a value is on no list. They may have too many values, never too few: an
 * entry that was erased, or that expired a while ago, may still be among them.
 */

import { expiredEntryRetentionMs } from '../../domain/lists/lists.ts'
import {
  type EntryEvent,
  type NetworkSize,
  requireEntrySubject,
  toEntryFact,
} from '../../events/lists/listEntry.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import { defineCollection, defineExpiry, defineProjection } from '../running/projection.ts'
import type { DeletedListDocument, ListDeleted } from './listEntries.ts'

/**
 * By `{account}/{list}/{first two characters of the subject digests}`, with the size of the networks before them where
 * they are some.
 */
export interface ListEntryKeysDocument {
  /** The keys of the entries without expiry, joined; see `decodeKeys`. */
  readonly keys: string
  /** The keys of the entries that expire, each with its end; see `decodeExpiringKeys`. */
  readonly ending?: string
  /** The size of the networks, on a list of networks. */
  readonly network?: NetworkSize
}

/** Characters of a subject digest, base64url, that contain its first 64 bits. */
const keyChars = 11

/** Seconds since the Unix epoch to base 36: enough for some 2,000 years. */
const secondChars = 7
const secondsMax = 36 ** secondChars - 1

interface ExpiringKey {
  readonly key: string
  /** In milliseconds since the Unix epoch, of full seconds: not before the entry expires. */
  readonly expiresAtMs: number
}

/** Of a million values each document then has some 250. */
const bucketChars = 2

const identity = { name: 'list_entry_keys', version: 2 } as const
export const listEntryKeyCollection = defineCollection<ListEntryKeysDocument>({
  projection: identity,
})
const deletedListCollection = defineCollection<DeletedListDocument>({
  projection: identity,
  name: 'deleted_list_keys',
  indexes: [['deleted_at']],
})

type Event = EntryEvent | ListDeleted

export const listEntryKeysProjection = defineProjection<
  Event,
  ListEntryKeysDocument | DeletedListDocument
>({
  ...identity,
  collections: [listEntryKeyCollection, deletedListCollection],
  expiries: [
    defineExpiry({
      collection: deletedListCollection,
      field: 'deleted_at',
      alsoDeletes: ({ account, list }) => ({
        collection: listEntryKeyCollection,
        where: { id: { prefix: `${account}/${list}/` } },
      }),
    }),
  ],
  eventTypes: [
    'PhoneNumberListed',
    'PhoneNumberUnlisted',
    'ListEntryAdded',
    'ListEntryRemoved',
    'ListDeleted',
  ],
  targets: ({ event, metadata }) => {
    const { account } = metadata
    if (event.type === 'ListDeleted') {
      return [{ collection: deletedListCollection, id: `${account}/${event.data.list_id}` }]
    }
    const { list, network } = toEntryFact(event)
    const size = network ? `${network.version}.${network.prefix}.` : ''
    const bucket = requireEntrySubject(metadata).slice(0, bucketChars)
    const id = `${account}/${list}/${size}${bucket}`
    return [{ collection: listEntryKeyCollection, id }]
  },
  apply: (document, { event, ...recorded }) => {
    if (event.type === 'ListDeleted') {
      const { account, time } = recorded.metadata
      return { account, list: event.data.list_id, deleted_at: time }
    }
    return applyEntryEvent(document as ListEntryKeysDocument | undefined, { ...recorded, event })
  },
})

/** The keys after the event, without those that expired well before it. */
function applyEntryEvent(
  document: ListEntryKeysDocument | undefined,
  { event, metadata }: DecodedEvent<EntryEvent>,
): ListEntryKeysDocument | null {
  const fact = toEntryFact(event)
  const { network } = fact
  const key = requireEntrySubject(metadata).slice(0, keyChars)
  const expiresAtMs = fact.isListed ? fact.said.expires_at : undefined
  const before = document?.keys ?? ''
  const keys = addOrRemoveKey(before, key, fact.isListed && expiresAtMs === undefined)
  const others = decodeExpiringKeys(document?.ending ?? '').filter(
    (one) => one.key !== key && one.expiresAtMs > metadata.time - expiredEntryRetentionMs,
  )
  const all = expiresAtMs === undefined ? others : [...others, { key, expiresAtMs }]
  const ending = all.map(encodeExpiringKey).join('')
  if (document && keys === before && ending === (document.ending ?? '')) return document
  if (keys === '' && ending === '') return null
  return { keys, ...(ending !== '' && { ending }), ...(network && { network }) }
}

/** The keys with this one, or without it. */
function addOrRemoveKey(keys: string, key: string, isListed: boolean): string {
  const at = offsetOf(keys, key)
  if (isListed === (at !== undefined)) return keys
  return at === undefined ? keys + key : keys.slice(0, at) + keys.slice(at + keyChars)
}

/** The offset of the key among the keys; undefined when it is absent. */
function offsetOf(keys: string, key: string): number | undefined {
  for (let at = keys.indexOf(key); at >= 0; at = keys.indexOf(key, at + 1)) {
    if (at % keyChars === 0) return at
  }
  return undefined
}

export function decodeKeys(text: string): readonly string[] {
  return splitEvery(text, keyChars)
}

/** The keys with their ends in a text of them. */
export function decodeExpiringKeys(text: string): readonly ExpiringKey[] {
  return splitEvery(text, keyChars + secondChars).map((one) => ({
    key: one.slice(0, keyChars),
    expiresAtMs: Number.parseInt(one.slice(keyChars), 36) * 1_000,
  }))
}

/** The text of one key. */
function encodeExpiringKey({ key, expiresAtMs }: ExpiringKey): string {
  const seconds = Math.min(Math.ceil(expiresAtMs / 1_000), secondsMax)
  return key + seconds.toString(36).padStart(secondChars, '0')
}

function splitEvery(text: string, length: number): readonly string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += length) pieces.push(text.slice(at, at + length))
  return pieces
}
