/** One list as it is held in memory: 64 bits of the digest of each value, and of which sizes the networks on it are. */

import { type Key, type KeySet, keySet } from '../../domain/keySet.ts'
import type { NetworkSize } from '../../events/lists/listEntry.ts'

/** A value by the digest that stands for it; of a network with its size. */
export interface HeldValue {
  /** Its first 64 bits, in 11 characters of base64url, or all of it. */
  readonly subject: string
  readonly network?: NetworkSize | undefined
}

export interface HeldList extends Pick<KeySet, 'size' | 'bytes'> {
  readonly has: (subject: string) => boolean
  readonly add: (value: HeldValue) => void
  readonly delete: (value: HeldValue) => void
  /** The sizes of the networks that it holds, each once. */
  readonly networks: () => readonly NetworkSize[]
}

/** The list, empty. */
export function heldList(): HeldList {
  const keys = keySet()
  const networks = new Map<string, NetworkSize & { readonly count: number }>()

  const count = (network: NetworkSize | undefined, by: number): void => {
    if (!network) return
    const { version, prefix } = network
    const name = `${version} ${prefix}`
    const sum = (networks.get(name)?.count ?? 0) + by
    if (sum > 0) networks.set(name, { version, prefix, count: sum })
    else networks.delete(name)
  }

  return {
    size: keys.size,
    bytes: keys.bytes,
    has: (subject) => keys.has(keyOf(subject)),
    add: ({ subject, network }) => {
      const key = keyOf(subject)
      if (keys.has(key)) return
      keys.add(key)
      count(network, 1)
    },
    delete: ({ subject, network }) => {
      const key = keyOf(subject)
      if (!keys.has(key)) return
      keys.delete(key)
      count(network, -1)
    },
    networks: () => [...networks.values()],
  }
}

/** The first 64 bits of a digest in base64url. */
function keyOf(digest: string): Key {
  const bytes = Buffer.from(digest.slice(0, 11), 'base64url')
  return [bytes.readUInt32LE(0), bytes.readUInt32LE(4)]
}
