/** Waits for what will be true in a while. */

import { setTimeout as sleep } from 'node:timers/promises'

/** Far beyond what the busiest machine takes, so that only what never comes fails. */
const eventuallyMs = 60_000
/** Of each interval at most so much counts: a process that was suspended has not waited. */
const countedMs = 1_000

/** Resolves once it holds; throws, with what was waited for, when it never does. */
export async function eventually(
  holds: () => boolean | Promise<boolean>,
  awaited = holds.toString(),
): Promise<void> {
  let waitedMs = 0
  let lastMs = Date.now()
  while (!(await holds())) {
    if (waitedMs > eventuallyMs) throw new Error(`did not come to hold: ${awaited}`)
    await sleep(2)
    const nowMs = Date.now()
    waitedMs += Math.min(nowMs - lastMs, countedMs)
    lastMs = nowMs
  }
}

/** Aborts when so much time has passed that what is waited for never comes; the result stops that. */
export function abortWhenNeverComing(stop: AbortController): () => void {
  let waitedMs = 0
  const interval = setInterval(() => {
    waitedMs += countedMs
    if (waitedMs >= eventuallyMs) stop.abort()
  }, countedMs)
  return () => clearInterval(interval)
}
