/** The port of the key store: sealing keys by id, never in the log, gone for good when destroyed. */

export interface SealingKey {
  /** Random, 22 characters of base64url. */
  readonly id: string
  /** 32 bytes. */
  readonly secret: Uint8Array
}

export interface KeyStore {
  /** Settles when every key is on disk, wrapped by the master key. */
  readonly add: (keys: readonly SealingKey[]) => Promise<void>
  /** The keys of these ids that exist, in no order; destroyed ones are absent. */
  readonly keys: (ids: readonly string[]) => Promise<readonly SealingKey[]>
  /** Settles when the bytes of the keys are gone from every file; unknown ids are ignored. */
  readonly destroy: (ids: readonly string[]) => Promise<void>
  readonly close: () => Promise<void>
}
