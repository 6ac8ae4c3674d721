/**
 * The values of lists as 64 bits each, many in one document: from it an instance has in a moment what it must know to say that a value is
 * on no list. It holds too much rather than too little: an entry that expired or was erased may still be in it.
 */

import { type EntryEvent, entryFact, type NetworkSize } from '../../events/lists/listEntry.ts'
import { defineProjection } from '../running/defineProjection.ts'
import { collectionOf } from '../running/projection.ts'
import { entrySubject } from './entrySubject.ts'

/** By `{account}/{list}/{first two characters of the subject digests}`, with the size of the networks before them where they are some. */
export interface ListEntryKeysDocument {
  /** The first `keyChars` characters of each subject digest, joined. */
  readonly keys: string
  /** Of what size the networks are, on a list of networks. */
  readonly network?: NetworkSize
}

/** Characters of a subject digest, base64url, of which the first 64 bits are made. */
export const keyChars = 11

/** Of a million values each document then has some 250. */
const bucketChars = 2

const identity = { name: 'list_entry_keys', version: 1 } as const
export const listEntryKeyCollection = collectionOf<ListEntryKeysDocument>({ projection: identity })

export const listEntryKeys = defineProjection<EntryEvent, ListEntryKeysDocument>({
  ...identity,
  collections: [listEntryKeyCollection],
  handles: ['PhoneNumberListed', 'PhoneNumberUnlisted', 'ListEntryAdded', 'ListEntryRemoved'],
  targets: ({ event, metadata }) => {
    const { list, network } = entryFact(event)
    const size = network ? `${network.version}.${network.prefix}.` : ''
    const bucket = entrySubject(metadata).slice(0, bucketChars)
    const id = `${metadata.account}/${list}/${size}${bucket}`
    return [{ collection: listEntryKeyCollection, id }]
  },
  apply: (document, { event, metadata }) => {
    const { isListed, network } = entryFact(event)
    const key = entrySubject(metadata).slice(0, keyChars)
    const keys = document?.keys ?? ''
    const at = placeOf(keys, key)
    if (isListed === (at !== undefined)) return document ?? null
    const left = at === undefined ? keys + key : keys.slice(0, at) + keys.slice(at + keyChars)
    return left === '' ? null : { keys: left, ...(network && { network }) }
  },
})

/** Where the key begins among the keys; undefined when it is not there. */
function placeOf(keys: string, key: string): number | undefined {
  for (let at = keys.indexOf(key); at >= 0; at = keys.indexOf(key, at + 1)) {
    if (at % keyChars === 0) return at
  }
  return undefined
}
