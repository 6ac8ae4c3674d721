/** Retries work, with pauses that double up to a longest one and end at once with an abort. */

import { sleep } from './backgroundLoop.ts'

export interface Pauses {
  /** The first pause, and the longest: each is twice as long as the one before. */
  readonly backoffMs: number
  readonly backoffMaxMs: number
  /** Ends a pause, and the attempts. */
  readonly signal?: AbortSignal
}

export interface Backoff extends Pauses {
  /** In a row: 0 after a success. */
  failures: number
}

/** Counts a failure, and pauses before the next attempt. */
export async function backOff(backoff: Backoff): Promise<void> {
  const { backoffMs, backoffMaxMs, signal, failures } = backoff
  backoff.failures += 1
  await sleep(Math.min(backoffMaxMs, backoffMs * 2 ** failures), signal)
}

/**
 * The result of the work, tried at least once; undefined when it failed and `signal` was aborted. `onFailure` is called
 * with each error and how many there were; it throws what another attempt does not fix.
 */
export async function retry<Value>(
  work: () => Promise<Value>,
  onFailure: (error: unknown, failures: number) => void,
  pauses: Pauses,
): Promise<Value | undefined> {
  const backoff: Backoff = { ...pauses, failures: 0 }
  for (;;) {
    try {
      return await work()
    } catch (error) {
      onFailure(error, backoff.failures + 1)
    }
    await backOff(backoff)
    if (backoff.signal?.aborted) return undefined
  }
}
