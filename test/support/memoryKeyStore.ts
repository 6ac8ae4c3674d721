/** A key store in memory, for tests of what is built on the port. */

import { randomBytes } from 'node:crypto'
import type { KeyState } from '../../src/events/recording/sealing.ts'
import type { SealingKey, SharedKeyStore } from '../../src/stores/keyStore.ts'
import { newKeys } from '../../src/stores/keys/keyWrapping.ts'

export interface MemoryKeyStore extends SharedKeyStore {
  readonly kept: Map<string, SealingKey>
  /** When each was destroyed. */
  readonly destroyed: Map<string, number>
  /** Runs before every call; may throw as a store would, or wait. */
  before:
    | ((call: 'make' | 'keys' | 'destroy' | 'destroyedSince' | 'discard') => Promise<void> | void)
    | undefined
}

export function memoryKeyStore(): MemoryKeyStore {
  const kept = new Map<string, SealingKey>()
  const destroyed = new Map<string, number>()
  const store: MemoryKeyStore = {
    kept,
    destroyed,
    before: undefined,
    make: async (count) => {
      const made = newKeys(count, {
        clock: { nowMs: Date.now },
        random: { bytes: (length) => new Uint8Array(randomBytes(length)) },
      })
      await store.before?.('make')
      for (const key of made) kept.set(key.id, { id: key.id, secret: key.secret.slice() })
      return made
    },
    keys: async (ids) => {
      const found = new Map<string, KeyState>()
      for (const id of ids) {
        const state = destroyed.has(id) ? 'destroyed' : kept.get(id)?.secret
        if (state !== undefined) found.set(id, state)
      }
      await store.before?.('keys')
      return found
    },
    destroy: async (ids, atMs) => {
      await store.before?.('destroy')
      for (const id of ids) {
        kept.delete(id)
        if (!destroyed.has(id)) destroyed.set(id, atMs)
      }
    },
    destroyedSince: async (atMs) => {
      await store.before?.('destroyedSince')
      return [...destroyed].flatMap(([id, at]) => (at >= atMs ? [id] : []))
    },
    discard: async (ids) => {
      await store.before?.('discard')
      for (const id of ids) kept.delete(id)
    },
    close: async () => undefined,
  }
  return store
}
