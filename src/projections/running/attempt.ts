/** Runs a function up to three times before its error counts. */

/** Pure code fails again; the repeats are for what is not as pure as it should be. */
const triesMax = 3

export type Attempt<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: unknown }

/** The value of the work, or the error of its last try. */
export function attempt<Value>(work: () => Value): Attempt<Value> {
  for (let tries = 1; ; tries += 1) {
    try {
      return { ok: true, value: work() }
    } catch (error) {
      if (tries === triesMax) return { ok: false, error }
    }
  }
}

/** The words of something thrown. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
