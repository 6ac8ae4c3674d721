/** Declares clock and randomness as arguments, so that every result can be reproduced. */

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: () => number
}

export interface Chance {
  /** `count` unpredictable bytes. */
  readonly bytes: (count: number) => Uint8Array
}
