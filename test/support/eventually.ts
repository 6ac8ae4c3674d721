/** Waits for what will be true in a while. */

import { setTimeout as sleep } from 'node:timers/promises'

/** Far beyond what the busiest machine takes, so that only what never comes fails. */
const eventuallyMs = 60_000

/** Resolves once it holds; throws, with what was waited for, when it never does. */
export async function eventually(
  holds: () => boolean | Promise<boolean>,
  awaited = holds.toString(),
): Promise<void> {
  const end = Date.now() + eventuallyMs
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`did not come to hold: ${awaited}`)
    await sleep(2)
  }
}
