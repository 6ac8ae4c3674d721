/** The keys of a server in memory, as they are kept there, for tests of what carries keys. */

import type { KeyRecord, KeyRecords, KeyTarget } from '../../src/stores/keys/keyRecords.ts'

export interface MemoryKeyRecords extends KeyRecords, KeyTarget {
  readonly kept: Map<string, KeyRecord>
  /** The proof of the master key that they were made under. */
  keptProof: Uint8Array | undefined
  /** Runs before and after every write; may throw as a server would. */
  around: ((write: number, when: 'before' | 'after') => void) | undefined
}

const pageMax = 10

export function memoryKeyRecords(): MemoryKeyRecords {
  const kept = new Map<string, KeyRecord>()
  let writes = 0
  const inOrder = () => [...kept.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  const write = (work: () => void): void => {
    writes += 1
    store.around?.(writes, 'before')
    work()
    store.around?.(writes, 'after')
  }
  const putOne = (key: KeyRecord): void => {
    const standing = kept.get(key.id)
    const isDestruction = 'destroyedAtMs' in key && (!standing || 'wrapped' in standing)
    if (!standing || isDestruction) kept.set(key.id, key)
  }
  const store: MemoryKeyRecords = {
    kept,
    keptProof: undefined,
    around: undefined,
    after: async (id) =>
      inOrder()
        .filter((key) => key.id > id)
        .slice(0, pageMax),
    size: async () => kept.size,
    proof: async () => store.keptProof,
    put: async (page) => write(() => page.forEach(putOne)),
    finish: async (proof) => {
      write(() => {
        store.keptProof ??= proof
      })
      return store.keptProof
    },
  }
  return store
}
