/** Declares the clock and the source of random bytes, given as arguments to be replaceable. */

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: () => number
}

/** The clocks of a caller and of instances may differ by so much. */
export const clockSkewMs = 60_000

export interface Random {
  /** `count` unpredictable bytes. */
  readonly bytes: (count: number) => Uint8Array
}
