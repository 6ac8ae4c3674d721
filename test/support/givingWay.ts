import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'

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
