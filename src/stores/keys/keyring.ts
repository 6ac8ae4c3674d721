/** Opens the key ring: assigns each subject a sealing key, caches and destroys keys. */

import { createHmac } from 'node:crypto'
import { getHeapStatistics } from 'node:v8'
import { LRUCache } from 'lru-cache'
import type { Chance } from '../../domain/clock.ts'
import type { AssignedKey, Keyring, KeyState } from '../../events/recording/sealing.ts'
import type { KeyStore, SealingKey } from '../keyStore.ts'
import { cachedKeysMax } from './cachedKeysMax.ts'
import { derivedKey } from './derivedKey.ts'
import { type KeyPoolOptions, openKeyPool } from './keyPool.ts'

export interface KeyringOptions extends KeyPoolOptions {
  readonly store: KeyStore
  readonly chance: Chance
  /** 32 bytes: whoever has them and the key store can open everything. */
  readonly masterKey: Uint8Array
  /** Told of a key that was needed and cannot be had though nobody has destroyed it. */
  readonly onUnreadable?: (id: string, why: 'missing' | 'damaged') => void
  /** Subjects whose key is used again, and secrets kept for opening; what a part of the heap takes unless given. */
  readonly heldMax?: number
}

export interface OpenKeyring extends Keyring {
  /** Destroys the keys of a subject, for good: from then on their data is forgotten, and the subject gets another key. */
  readonly destroy: (ids: readonly string[], atMs: number) => Promise<void>
  /** Forgets keys that somebody has destroyed: they open nothing here any more, and whoever had one gets another. Again is no error. */
  readonly forget: (ids: readonly string[]) => void
  /** A key of nobody's that is on disk already. Throws `unavailable` when none is left. */
  readonly take: () => SealingKey
  /** Keys that are on disk and belong to nobody yet. */
  readonly keysReady: () => number
  /** Whether there are more of them than a reserve, which is for those who cannot wait. */
  readonly hasSpare: () => boolean
  /** Whether the store takes new keys, as far as is known: false from a failed refill until one has succeeded. */
  readonly storesKeys: () => boolean
  /** Settles when no key is being made any more; the store stays open. */
  readonly close: () => Promise<void>
}

const nonceBytes = 12
const noncesAtOnce = 512
const subjectChars = 22
const subjectsKnownMax = 1_024
/** Destroyed keys that are remembered at least, so that none of them is given out again. */
const goneMin = 65_536

/** How long a key is used for new data of its subject, so that old data can be destroyed on its own. */
export const keyServesMs = 30 * 24 * 60 * 60 * 1_000

interface Held {
  readonly key: AssignedKey
  /** When it was first assigned. */
  readonly sinceMs: number
}

/** Opens the keyring; settles when its first keys are on disk. Throws what the store throws. */
export async function openKeyring(options: KeyringOptions): Promise<OpenKeyring> {
  const {
    masterKey,
    chance,
    heldMax = cachedKeysMax(getHeapStatistics().heap_size_limit),
  } = options
  const subjectHmac = hmacUnder(derivedKey(masterKey, 'vigil subjects'))
  const digestHmac = hmacUnder(derivedKey(masterKey, 'vigil digests'))
  const held = cacheOf<Held>(heldMax)
  const gone = cacheOf<true>(Math.max(heldMax, goneMin))
  const secrets = secretCache(options, heldMax)
  const pool = await openKeyPool(options)

  return {
    // JSON keeps the parts apart whatever they contain
    subject: remembered((text) => subjectHmac(text).slice(0, subjectChars)),
    digest: (purpose, text) => digestHmac(JSON.stringify([purpose, text])),
    assign: (subject, { area, timeMs }) => {
      const use = `${subject} ${area}`
      const known = held.get(use)
      if (known && !gone.get(known.key.id) && timeMs - known.sinceMs < keyServesMs) return known.key
      const key = pool.take()
      held.set(use, { key, sinceMs: timeMs })
      secrets.remember(key)
      return key
    },
    keys: secrets.find,
    nonce: nonces(chance),
    destroy: (ids, atMs) => {
      for (const id of ids) gone.set(id, true)
      return secrets.destroy(ids, atMs)
    },
    forget: (ids) => {
      secrets.forget(ids)
      for (const id of ids) gone.set(id, true)
    },
    take: pool.take,
    keysReady: pool.ready,
    hasSpare: pool.hasSpare,
    storesKeys: pool.fills,
    close: pool.close,
  }
}

/** So many at the most; no room is set aside before they are there. */
function cacheOf<Value extends NonNullable<unknown>>(max: number): LRUCache<string, Value> {
  return new LRUCache({ maxSize: max, sizeCalculation: () => 1 })
}

/** HMAC-SHA256 in base64url. */
function hmacUnder(key: Uint8Array): (text: string) => string {
  return (text) => createHmac('sha256', key).update(text).digest('base64url')
}

/** The digests of those who were asked for last, since the lists and the record of an evaluation ask for the same. */
function remembered(digest: (text: string) => string): Keyring['subject'] {
  const known = new Map<string, string>()
  return (account, kind, value) => {
    const text = JSON.stringify([account, kind, value])
    const subject = known.get(text) ?? digest(text)
    if (known.size >= subjectsKnownMax) known.clear()
    known.set(text, subject)
    return subject
  }
}

interface SecretCache {
  readonly remember: (key: SealingKey) => void
  readonly find: Keyring['keys']
  readonly forget: (ids: readonly string[]) => void
  readonly destroy: KeyStore['destroy']
}

function secretCache(
  { store, onUnreadable }: Pick<KeyringOptions, 'store' | 'onUnreadable'>,
  heldMax: number,
): SecretCache {
  const known = cacheOf<Uint8Array>(heldMax)
  /** Rises with every destruction: what was read before it is not to be remembered after it. */
  let destructions = 0

  const read = async (ids: readonly string[], found: Map<string, KeyState>): Promise<void> => {
    const before = destructions
    const states = await store.keys(ids)
    for (const [id, state] of states) {
      found.set(id, state)
      if (state instanceof Uint8Array && before === destructions) known.set(id, state)
    }
    for (const [id, why] of unreadable(ids, states)) onUnreadable?.(id, why)
  }

  const forget = (ids: readonly string[]): void => {
    destructions += 1
    for (const id of ids) known.delete(id)
  }

  return {
    remember: ({ id, secret }) => known.set(id, secret),
    forget,
    find: async (ids) => {
      const found = new Map<string, KeyState>()
      const missing = ids.filter((id) => {
        const secret = known.get(id)
        if (secret) found.set(id, secret)
        return !secret
      })
      if (missing.length > 0) await read(missing, found)
      return found
    },
    destroy: async (ids, atMs) => {
      forget(ids)
      await store.destroy(ids, atMs)
      destructions += 1
    },
  }
}

/** Each once. */
function unreadable(
  ids: readonly string[],
  states: ReadonlyMap<string, KeyState>,
): ReadonlyMap<string, 'missing' | 'damaged'> {
  const found = new Map<string, 'missing' | 'damaged'>()
  for (const id of ids) {
    const state = states.get(id) ?? 'missing'
    if (state === 'missing' || state === 'damaged') found.set(id, state)
  }
  return found
}

/** One call for chance serves many nonces. */
function nonces(chance: Chance): () => Uint8Array {
  let block = new Uint8Array(0)
  let next = 0
  return () => {
    if (next >= block.length) {
      block = Uint8Array.from(chance.bytes(nonceBytes * noncesAtOnce))
      next = 0
    }
    next += nonceBytes
    return block.subarray(next - nonceBytes, next)
  }
}
