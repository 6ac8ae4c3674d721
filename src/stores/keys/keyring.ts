/** Opens the key ring: assigns sealing keys to subjects, caches and destroys keys, makes HMACs. */

import { createHmac } from 'node:crypto'
import { getHeapStatistics } from 'node:v8'
import { LRUCache } from 'lru-cache'
import type { Random } from '../../domain/clock.ts'
import { unifyPhone } from '../../domain/evaluation/phone.ts'
import type { AssignedKey, Keyring, KeyState } from '../../events/recording/sealing.ts'
import type { KeyStore, SealingKey } from '../keyStore.ts'
import { type KeyPool, type KeyPoolOptions, openKeyPool } from './keyPool.ts'
import { deriveKey } from './keyWrapping.ts'

export interface KeyringOptions extends KeyPoolOptions {
  readonly store: KeyStore
  readonly random: Random
  /** 32 bytes that open everything, together with the key store. */
  readonly masterKey: Uint8Array
  /** Called for a key that is missing or damaged though it was never destroyed. */
  readonly onUnreadable?: (id: string, why: 'missing' | 'damaged') => void
  /** Cached keys: assigned ones, and secrets for opening; a share of the heap unless given. */
  readonly cachedMax?: number
  /** Called when keys were destroyed: what was opened under them is to be forgotten. */
  readonly onForgotten?: () => void
}

export interface PooledKeyring extends Keyring, KeyPool {
  /** Destroys keys for good: their data is forgotten, and their subject gets another key. */
  readonly destroy: (ids: readonly string[], atMs: number) => Promise<void>
  /**
   * Forgets keys that another instance has destroyed: they open nothing here, and their subjects get others. Repeating
   * it is safe.
   */
  readonly forget: (ids: readonly string[]) => void
}

const nonceBytes = 12
const subjectChars = 22
/** People come again, from signup to checkout: so many digests, 3 to 9 an evaluation, take about 4 MB. */
const subjectsKnownMax = 16_384
/** Characters of account, kind and value; a longer value is no number, and hardly an address. */
const subjectTextMax = 160

/** How long a key is used for new data of its subject, so that old data can be destroyed on its own. */
export const keyLifetimeMs = 30 * 24 * 60 * 60 * 1_000

interface Assigned {
  readonly key: AssignedKey
  /** When it was first assigned. */
  readonly sinceMs: number
}

/** Opens the keyring; settles when its first keys are on disk. Throws what the store throws. */
export async function openKeyring(options: KeyringOptions): Promise<PooledKeyring> {
  const {
    store,
    masterKey,
    random,
    cachedMax = cachedKeysMax(getHeapStatistics().heap_size_limit),
  } = options
  const subjectHmac = hmacUnder(deriveKey(masterKey, 'vigil subjects'))
  const digestHmac = hmacUnder(deriveKey(masterKey, 'vigil digests'))
  const subjects = cacheSubjects((text) => subjectHmac(text).slice(0, subjectChars))
  const assigned = openAssignedKeys(cachedMax)
  const secrets = secretCache(options, cachedMax)
  const pool = await openKeyPool(options)
  // what was opened under a key, and whose it was, does not outlive it in memory
  const forget = (ids: readonly string[]): void => {
    secrets.forget(ids)
    assigned.remove(ids)
    subjects.clear()
    options.onForgotten?.()
  }

  return {
    ...pool,
    // JSON separates the values whatever they contain
    subject: subjects.of,
    digest: (purpose, text) => digestHmac(JSON.stringify([purpose, text])),
    assign: (subjects, { area, timeMs }) => {
      const use = `${subjects} ${area}`
      const known = assigned.get(use)
      if (known && timeMs - known.sinceMs < keyLifetimeMs) return known.key
      const key = pool.take()
      assigned.set(use, { key, sinceMs: timeMs })
      secrets.remember(key)
      return key
    },
    keys: secrets.find,
    nonce: () => random.bytes(nonceBytes),
    destroy: async (ids, atMs) => {
      forget(ids)
      // again behind it: they may have been read meanwhile
      await store.destroy(ids, atMs).finally(() => forget(ids))
    },
    forget,
  }
}

/** The key that each use has; one that was taken away is assigned to no other. */
function openAssignedKeys(max: number) {
  const uses = new Map<string, string>()
  const keys = new LRUCache<string, Assigned>({
    maxSize: max,
    sizeCalculation: () => 1,
    dispose: ({ key }) => uses.delete(key.id),
  })
  return {
    get: (use: string) => keys.get(use),
    set: (use: string, assigned: Assigned): void => {
      keys.set(use, assigned)
      uses.set(assigned.key.id, use)
    },
    remove: (ids: readonly string[]): void => {
      for (const use of ids.map((id) => uses.get(id))) if (use !== undefined) keys.delete(use)
    },
  }
}

/** HMAC-SHA256 in base64url. */
function hmacUnder(key: Uint8Array): (text: string) => string {
  return (text) => createHmac('sha256', key).update(text).digest('base64url')
}

/**
 * Caches recent digests: the lists and the record of an evaluation ask for the same, and so does the next one of the
 * person.
 */
function cacheSubjects(digest: (text: string) => string) {
  const known = new Map<string, string>()
  const of: Keyring['subject'] = (account, kind, value) => {
    const text = JSON.stringify([account, kind, kind === 'phone' ? unifyPhone(value) : value])
    const recent = known.get(text)
    if (recent !== undefined) return recent
    const subject = digest(text)
    if (known.size >= subjectsKnownMax) known.clear()
    if (text.length <= subjectTextMax) known.set(text, subject)
    return subject
  }
  return { of, clear: () => known.clear() }
}

function secretCache({ store, onUnreadable }: KeyringOptions, cachedMax: number) {
  const known = new LRUCache<string, Uint8Array>({ maxSize: cachedMax, sizeCalculation: () => 1 })
  /** Rises with every destruction: a secret read before one is not cached after it. */
  let destructions = 0

  const report = (id: string, state: KeyState | 'missing'): void => {
    if (state === 'missing' || state === 'damaged') onUnreadable?.(id, state)
  }
  const read = async (ids: readonly string[], found: Map<string, KeyState>): Promise<void> => {
    const before = destructions
    const states = await store.keys(ids)
    for (const [id, state] of states) {
      found.set(id, state)
      if (state instanceof Uint8Array && before === destructions) known.set(id, state)
    }
    for (const id of new Set(ids)) report(id, states.get(id) ?? 'missing')
  }

  const forget = (ids: readonly string[]): void => {
    destructions += 1
    for (const id of ids) known.delete(id)
  }

  return {
    remember: ({ id, secret }: SealingKey) => known.set(id, secret),
    forget,
    find: async (ids: readonly string[]): Promise<ReadonlyMap<string, KeyState>> => {
      const found = new Map<string, KeyState>()
      const missing = ids.filter((id) => {
        const secret = known.get(id)
        if (secret) found.set(id, secret)
        return !secret
      })
      if (missing.length > 0) await read(missing, found)
      return found
    },
  }
}

/** Enough for the busiest service: each further key is used less often. */
const most = 65_536

/** The share of the heap for cached keys, and the size of one with its subject and its secret. */
const heapShare = 1 / 24
const keyBytes = 600

/**
 * How many keys an instance caches with a heap of so many bytes. An evicted key is read again to open its data, but new
 * data of its subject is sealed under another one: with more active subjects than cached keys, more keys are made.
 */
function cachedKeysMax(heapBytes: number): number {
  return Math.min(most, Math.floor((heapBytes * heapShare) / keyBytes))
}
