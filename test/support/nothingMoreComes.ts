/** Waits until what was begun in this process has come to rest, however busy the machine is. */

import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

/**
 * In each of which all connections are looked at. A timer alone may be due before them, after a pause of the process.
 */
const turns = 20

/** Resolves after so many milliseconds and many turns of the event loop. */
export async function nothingMoreComes(ms = 15): Promise<void> {
  await sleep(ms)
  for (let turn = 0; turn < turns; turn += 1) await nextTurn()
}
