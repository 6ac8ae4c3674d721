/**
 * The numbers of the phone lists as 64 bits each, many in one document: from it an instance has in a moment what it must know to say that
 * a number is on no list. It holds too much rather than too little: a number that expired or was erased may still be in it.
 */

import type { PhoneListEvent } from '../../events/lists/phoneList.ts'
import { defineProjection } from '../running/defineProjection.ts'
import { collectionOf } from '../running/projection.ts'
import { entrySubject } from './entrySubject.ts'

/** By `{account}/{list}/{first two characters of the subject digests}`. */
export interface PhoneNumberKeysDocument {
  /** The first `keyChars` characters of each subject digest, joined. */
  readonly keys: string
}

/** Characters of a subject digest, base64url, of which the first 64 bits are made. */
export const keyChars = 11

/** Of a million numbers each document then has some 250. */
const bucketChars = 2

const identity = { name: 'phone_number_keys', version: 1 } as const
export const phoneNumberKeyCollection = collectionOf<PhoneNumberKeysDocument>({
  projection: identity,
})

export const phoneNumberKeys = defineProjection<PhoneListEvent, PhoneNumberKeysDocument>({
  ...identity,
  collections: [phoneNumberKeyCollection],
  handles: ['PhoneNumberListed', 'PhoneNumberUnlisted'],
  targets: ({ event, metadata }) => {
    const bucket = entrySubject(metadata).slice(0, bucketChars)
    const id = `${metadata.account}/${event.data.list}/${bucket}`
    return [{ collection: phoneNumberKeyCollection, id }]
  },
  apply: (document, { event, metadata }) => {
    const key = entrySubject(metadata).slice(0, keyChars)
    const keys = document?.keys ?? ''
    const at = placeOf(keys, key)
    if (event.type === 'PhoneNumberListed') {
      return at === undefined ? { keys: keys + key } : (document ?? null)
    }
    if (at === undefined) return document ?? null
    const left = keys.slice(0, at) + keys.slice(at + keyChars)
    return left === '' ? null : { keys: left }
  },
})

/** Where the key begins among the keys; undefined when it is not there. */
function placeOf(keys: string, key: string): number | undefined {
  for (let at = keys.indexOf(key); at >= 0; at = keys.indexOf(key, at + 1)) {
    if (at % keyChars === 0) return at
  }
  return undefined
}
