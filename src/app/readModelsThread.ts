/** Runs the read models in a thread of lower priority than that of requests. */

import { randomBytes } from 'node:crypto'
import { getPriority, setPriority } from 'node:os'
import { serveThread } from '../stores/embedded/threads.ts'
import { serveReadModels, type TellOfReadModels } from './openReadModels.ts'

const means = { clock: { nowMs: Date.now }, chance: { bytes: randomBytes } }

giveWay()
serveThread((tell: TellOfReadModels) => serveReadModels(tell, means))

/**
 * Has this thread give way to those that requests wait for: about a third of the time that a thread without these steps has. Only Linux has
 * priorities of threads; elsewhere nothing is changed.
 */
function giveWay(): void {
  const [steps, lowest] = [5, 19]
  if (process.platform === 'linux') setPriority(Math.min(getPriority() + steps, lowest))
}
