/** Retries work during store outages; turns thrown errors into values. */

import { isUnavailable, messageOf } from '../../domain/failure.ts'
import { sleep } from '../../stores/backgroundLoop.ts'

export interface OutageRetry {
  readonly signal: AbortSignal
  /** The first pause; each next one is twice as long. */
  readonly backoffMs: number
  /** The longest pause. */
  readonly backoffMaxMs: number
  /** Called with the text of each outage. */
  readonly onOutage: (text: string) => void
}

/**
 * The result of the work, tried at least once; undefined when `signal` was aborted first. Only a `Failure`
 * `unavailable` is retried: every other error is thrown, since waiting does not fix it.
 */
export async function retryOutages<Value>(
  work: () => Promise<Value>,
  { signal, backoffMs, backoffMaxMs, onOutage }: OutageRetry,
): Promise<Value | undefined> {
  for (let waitMs = backoffMs; ; waitMs = Math.min(backoffMaxMs, waitMs * 2)) {
    try {
      return await work()
    } catch (error) {
      if (!isUnavailable(error)) throw error
      const { message, cause } = error
      onOutage(cause === undefined ? message : `${message} (${messageOf(cause)})`)
    }
    await sleep(waitMs, signal)
    if (signal.aborted) return undefined
  }
}

type Attempt<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: string }

/** The result of synchronous work, or the message of what it throws. */
export function attemptSync<Value>(work: () => Value): Attempt<Value> {
  try {
    return { ok: true, value: work() }
  } catch (error) {
    return { ok: false, error: messageOf(error) }
  }
}
