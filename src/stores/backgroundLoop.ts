/** Runs background loops until they are closed, and sleeps until a timeout or an abort. */

import { setTimeout as delay } from 'node:timers/promises'

/** Waits, at most until `signal` is aborted. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (ms > 0) await delay(ms, undefined, { signal }).catch(() => undefined)
}

export interface BackgroundLoop {
  /** Settles when the loop has ended. */
  readonly close: () => Promise<void>
}

/** Runs a loop in the background; closing aborts its signal. */
export function startBackgroundLoop(
  loop: (signal: AbortSignal) => Promise<unknown>,
): BackgroundLoop {
  const stop = new AbortController()
  const done = loop(stop.signal)
  return {
    close: async () => {
      stop.abort()
      await done
    },
  }
}
