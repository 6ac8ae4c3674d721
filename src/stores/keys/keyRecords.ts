/** Declares wrapped key records, and the ports by which they are copied between stores. */

/** A key: its secret wrapped by the master key, or when it was destroyed. */
export type KeyRecord =
  | { readonly id: string; readonly wrapped: Uint8Array }
  | { readonly id: string; readonly destroyedAtMs: number }

export interface KeyRecords {
  /** The next page in the order of ids; empty after the last key. */
  readonly after: (id: string) => Promise<readonly KeyRecord[]>
  /** About how many there are, with destroyed ones. */
  readonly size: () => Promise<number>
  /** See `computeMasterKeyProof`; undefined before the first key. */
  readonly proof: () => Promise<Uint8Array | undefined>
}

/** Takes keys of another store. */
export interface KeyTarget extends Pick<KeyRecords, 'after' | 'proof'> {
  /**
   * Adds keys that are missing and records destructions; an existing or destroyed key is not replaced, so repeating it
   * changes nothing.
   */
  readonly put: (page: readonly KeyRecord[]) => Promise<void>
  /** Called after all keys: stores the proof of their master key unless there is one. Returns the stored proof. */
  readonly finish: (proof: Uint8Array) => Promise<Uint8Array | undefined>
}
