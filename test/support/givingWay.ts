import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'

const leastPriority = 19

/**
 * Whether threads can give way here, and it can be seen: Linux alone tells, and nothing is below the least priority.
 */
export const canGiveWay = process.platform === 'linux' && getPriority() < leastPriority

/** How many threads of this process give way to the calling one; Linux alone tells. */
export function givingWay(): number {
  const mine = getPriority()
  return readdirSync('/proc/self/task').filter((thread) => priorityOf(thread) > mine).length
}

function priorityOf(thread: string): number {
  const line = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
  // behind the name, which may have any letters
  return Number(line.slice(line.lastIndexOf(')')).split(' ')[17])
}
