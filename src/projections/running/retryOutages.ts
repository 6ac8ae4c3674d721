/** Retries work during a store outage, ever more slowly, until it is done or aborted. */

import { setTimeout as delay } from 'node:timers/promises'
import { Failure } from '../../domain/failure.ts'
import { wordsOf } from './attempt.ts'

export interface OutageRetry {
  readonly signal: AbortSignal
  /** The first wait; each next one is twice as long. */
  readonly backoffMs: number
  /** The longest wait. */
  readonly backoffMaxMs: number
  /** Told the words of each outage. */
  readonly onOutage: (words: string) => void
}

/**
 * The value of the work, tried at least once, or undefined when `signal` was aborted before it was done. Throws what the work throws when it is no outage: a
 * `Failure` `unavailable` is one, everything else is a fault that time does not mend.
 */
export async function retryOutages<Value>(
  work: () => Promise<Value>,
  { signal, backoffMs, backoffMaxMs, onOutage }: OutageRetry,
): Promise<Value | undefined> {
  for (let waitMs = backoffMs; ; waitMs = Math.min(backoffMaxMs, waitMs * 2)) {
    try {
      return await work()
    } catch (error) {
      if (!isOutage(error)) throw error
      onOutage(outageWords(error))
    }
    await pause(waitMs, signal)
    if (signal.aborted) return undefined
  }
}

function outageWords(error: unknown): string {
  const cause = error instanceof Failure ? error.cause : undefined
  return cause === undefined ? wordsOf(error) : `${wordsOf(error)} (${wordsOf(cause)})`
}

/** Whether time may mend it. */
function isOutage(error: unknown): boolean {
  return error instanceof Failure && error.code === 'unavailable'
}

/** Waits, not longer than until `signal` is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return
  try {
    await delay(ms, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
