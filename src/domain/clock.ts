/** Time and chance as arguments, so that everything else can be repeated exactly. */

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: () => number
}

export interface Chance {
  /** `count` unpredictable bytes. */
  readonly bytes: (count: number) => Uint8Array
}
