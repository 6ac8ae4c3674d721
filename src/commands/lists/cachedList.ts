/** Caches one list: 64 bits of each value's digest, and the sizes of its networks. */

import { endedKeptMs } from '../../domain/lists/endedKept.ts'
import { type Key, type KeySet, keySet } from '../../domain/lists/keySet.ts'
import type { NetworkSize } from '../../events/lists/listEntry.ts'

/** The digest of a value, for a network with its size. */
export interface CachedValue {
  /** Its first 64 bits, in 11 characters of base64url, or all of it. */
  readonly subject: string
  readonly network?: NetworkSize | undefined
  /** In milliseconds since the Unix epoch; undefined for one that stays. */
  readonly expiresAtMs?: number | undefined
}

export interface CachedList extends Pick<KeySet, 'bytes'> {
  /**
   * How many values it has at a time, in milliseconds since the Unix epoch. Where it is fewer than `enough` anyhow, what expired may be
   * counted.
   */
  readonly size: (timeMs: number, enough: number) => number
  readonly has: (subject: string) => boolean
  readonly add: (value: CachedValue) => void
  readonly delete: (value: CachedValue) => void
  /** The sizes of the networks that it holds, each once. */
  readonly networks: () => readonly NetworkSize[]
}

/** The list, empty. `timeMs` is now, in milliseconds since the Unix epoch. */
export function cachedList(timeMs: () => number): CachedList {
  const keys = keySet(() => Math.floor((timeMs() - endedKeptMs) / 1_000))
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
    size: (atMs, enough) => {
      const most = keys.size()
      return most < enough ? most : most - keys.ended(Math.floor(atMs / 1_000))
    },
    bytes: keys.bytes,
    has: (subject) => keys.has(keyOf(subject)),
    add: ({ subject, network, expiresAtMs = 0 }) => {
      const key = keyOf(subject)
      if (!keys.has(key)) count(network, 1)
      keys.add(key, Math.ceil(expiresAtMs / 1_000))
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

const keyBytes = Buffer.alloc(8)

/** The first 64 bits of a digest in base64url. */
function keyOf(digest: string): Key {
  // in memory of its own: of one question hundreds are asked for
  if (keyBytes.write(digest, 'base64url') < keyBytes.length) throw new Error('not a digest')
  return [keyBytes.readUInt32LE(0), keyBytes.readUInt32LE(4)]
}
