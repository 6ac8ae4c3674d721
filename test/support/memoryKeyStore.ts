/** A key store in memory, for tests of what is built on the port. */

import type { KeyStore, SealingKey } from '../../src/stores/keyStore.ts'

export interface MemoryKeyStore extends KeyStore {
  readonly kept: Map<string, SealingKey>
  /** Runs before every call; may throw as a store would, or wait. */
  before: ((call: 'add' | 'keys' | 'destroy') => Promise<void> | void) | undefined
}

export function memoryKeyStore(): MemoryKeyStore {
  const kept = new Map<string, SealingKey>()
  const store: MemoryKeyStore = {
    kept,
    before: undefined,
    add: async (keys) => {
      await store.before?.('add')
      if (keys.some((key) => kept.has(key.id))) throw new Error('a key id is taken')
      for (const key of keys) kept.set(key.id, { id: key.id, secret: key.secret.slice() })
    },
    keys: async (ids) => {
      const found = [...new Set(ids)].flatMap((id) => kept.get(id) ?? [])
      await store.before?.('keys')
      return found
    },
    destroy: async (ids) => {
      await store.before?.('destroy')
      for (const id of ids) kept.delete(id)
    },
    close: async () => undefined,
  }
  return store
}
