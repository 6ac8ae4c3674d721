/** Personal data in events: sealed under a key of its subject, opened while the key lives, forgotten after. */

/** A personal value in its sealed form, as it stands in the log. */
export interface Sealed {
  readonly sealed: {
    readonly key: string
    /** Base64url of nonce (12 bytes), ciphertext, tag (16 bytes). */
    readonly box: string
  }
}

/** What opening answers when the key is gone. */
export interface Forgotten {
  readonly forgotten: true
}

/** A personal field: the clear value before encoding and after opening, sealed in between. */
export type Personal<Value> = Value | Sealed | Forgotten
