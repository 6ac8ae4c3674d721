/** Retries work during store outages; turns thrown errors into values. */

import { isUnavailable, messageOf } from '../../domain/failure.ts'
import { type Pauses, retry } from '../../stores/retry.ts'

export interface OutageRetry extends Pauses {
  /** Called with the text of each outage. */
  readonly onOutage: (text: string) => void
}

/** Like `retry`, but only for a `Failure` `unavailable`: every other error is thrown, since waiting does not fix it. */
export function retryOutages<Value>(
  work: () => Promise<Value>,
  { onOutage, ...pauses }: OutageRetry,
): Promise<Value | undefined> {
  const onFailure = (error: unknown): void => {
    if (!isUnavailable(error)) throw error
    const { message, cause } = error
    onOutage(cause === undefined ? message : `${message} (${messageOf(cause)})`)
  }
  return retry(work, onFailure, pauses)
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
