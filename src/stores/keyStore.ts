/** Declares the key store port: sealing keys by id, outside of the log, destroyed for good. */

import type { KeyState } from '../events/recording/sealing.ts'

export interface SealingKey {
  /** 26 characters of base32 that rise with the time of creation. */
  readonly id: string
  /** 32 bytes. */
  readonly secret: Uint8Array
}

export interface KeyStore {
  /** Generates keys, on the thread of the store; settles when every key is on disk, wrapped by the master key. */
  readonly make: (count: number) => Promise<readonly SealingKey[]>
  /** The states of the keys of these ids; a key that the store never had, or has lost, is absent. */
  readonly keys: (ids: readonly string[]) => Promise<ReadonlyMap<string, KeyState>>
  /**
   * Destroys keys for good and records the time, also of unknown ids, which can never be added later; settles when that
   * is durable. A key destroyed before keeps its time. The embedded store then has the wrapped bytes in none of its
   * files. MongoDB has none in its collections, but its oplog, journal and free pages contain them until they are
   * overwritten, and backups of either as long as they are kept (docs/guide/deployment.md).
   */
  readonly destroy: (ids: readonly string[], atMs: number) => Promise<void>
  /** Removes unused keys without a record; unknown ids are ignored. */
  readonly discard: (ids: readonly string[]) => Promise<void>
  readonly close: () => Promise<void>
}

/** A key store that several instances share. */
export interface SharedKeyStore extends KeyStore {
  /** Ids of the keys destroyed at this time or later, in no order. */
  readonly destroyedSince: (atMs: number) => Promise<readonly string[]>
}
