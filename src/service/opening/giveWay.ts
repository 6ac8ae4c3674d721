/** The order in which the threads of this process get a processor, where there are fewer of these. */

import { getPriority, setPriority } from 'node:os'

/** Steps of the system's priorities: about a third of the time that a thread without them has. */
const steps = 5
const lowest = 19

/**
 * Has the calling thread give way to those that requests wait for: that of the service itself and those that write. Only Linux has
 * priorities of threads; elsewhere nothing is changed.
 */
export function giveWay(): void {
  if (process.platform === 'linux') setPriority(Math.min(getPriority() + steps, lowest))
}
