/** Waits, and runs loops in the background, until they are aborted or closed. */

import { setTimeout as delay } from 'node:timers/promises'

/** Waits, at most until `signal` is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return
  try {
    await delay(ms, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

export interface Running {
  /** Settles when the loop has ended. */
  readonly close: () => Promise<void>
}

/** Runs a loop in the background; closing aborts its signal. */
export function runUntilClosed(loop: (signal: AbortSignal) => Promise<unknown>): Running {
  const stop = new AbortController()
  const done = loop(stop.signal)
  return {
    close: async () => {
      stop.abort()
      await done
    },
  }
}
