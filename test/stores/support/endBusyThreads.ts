/** A process that ends threads by force which are in SQLite nearly all of the time; prints how many it has survived. */

import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { startThread } from '../../../src/stores/embedded/startThread.ts'
import { endThread } from '../../../src/stores/embedded/threadGate.ts'

const [, , file, sql, count] = process.argv
const module = new URL('./busyThread.ts', import.meta.url)

for (let thread = 0; thread < Number(count); thread += 1) {
  const busy = startThread(module, { file, sql })
  await once(busy, 'message')
  await pause(10 + 7 * thread)
  await endThread(busy)
}
process.stdout.write(`${count} ended`)
