/** How keys cross the border between threads: two things, which are copied several times faster than an object for each. */

import type { SealingKey } from '../keyStore.ts'

export interface KeysMessage {
  readonly ids: readonly string[]
  /** 32 bytes of each, one behind the other. */
  readonly secrets: Uint8Array
}

const secretBytes = 32

/** The keys as they are sent. */
export function encodeKeys(keys: readonly SealingKey[]): KeysMessage {
  const secrets = new Uint8Array(keys.length * secretBytes)
  for (const [index, { secret }] of keys.entries()) secrets.set(secret, index * secretBytes)
  return { ids: keys.map(({ id }) => id), secrets }
}

/** The keys that were sent; each has bytes of its own, so that whoever holds one holds no other. */
export function decodeKeys({ ids, secrets }: KeysMessage): readonly SealingKey[] {
  return ids.map((id, index) => ({
    id,
    secret: secrets.slice(index * secretBytes, (index + 1) * secretBytes),
  }))
}
