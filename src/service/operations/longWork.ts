/** Work on whole stores that somebody waits for at a terminal. */

export interface LongWork {
  /** Ends it with its reason. */
  readonly signal: AbortSignal
  /** Told what it does and how far it has come with that. */
  readonly onProgress: (step: string, done: number, of: number) => void
}
