/** Declares the port of the key store: sealing keys by id, destroyed for good, never in the log. */

import type { KeyState } from '../events/recording/sealing.ts'

export interface SealingKey {
  /** 26 characters of base32, which rise with the time at which it was made. */
  readonly id: string
  /** 32 bytes. */
  readonly secret: Uint8Array
}

export interface KeyStore {
  /** Makes so many keys, where the store works; settles with them when every one is on disk, wrapped by the master key. */
  readonly make: (count: number) => Promise<readonly SealingKey[]>
  /** Settles when every key is on disk, wrapped by the master key. */
  readonly add: (keys: readonly SealingKey[]) => Promise<void>
  /** The state of the keys of these ids; absent is one that the store has never had, or has lost. */
  readonly keys: (ids: readonly string[]) => Promise<ReadonlyMap<string, KeyState>>
  /**
   * Settles when the store answers the keys no more, on every disk that an answer needs, and their destruction is recorded with its time, for good: also
   * that of an id the store does not have, which is never a key again. What was destroyed before keeps its time. Of the wrapped bytes: the embedded store
   * has then none in any of its files. MongoDB has none in its collections, but its oplog, journal and free pages hold them until they are
   * written over, and backups of either hold them as long as they are kept (docs/guide/deployment.md).
   */
  readonly destroy: (ids: readonly string[], atMs: number) => Promise<void>
  /** Ids of the keys whose destruction is recorded with this time or a later one, in no order. */
  readonly destroyedSince: (atMs: number) => Promise<readonly string[]>
  /** Removes keys that nobody has ever had, without a record; unknown ids are ignored. */
  readonly discard: (ids: readonly string[]) => Promise<void>
  readonly close: () => Promise<void>
}
