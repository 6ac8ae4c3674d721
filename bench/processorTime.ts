/** The processor time that the threads of a process have had, by the system's own accounts. */

import { readdirSync, readFileSync } from 'node:fs'

/** Microseconds by thread; the first is the one that answers. */
export type ProcessorTime = ReadonlyMap<string, number>

/** What the threads have had so far; empty on a system that does not tell. */
export function processorTimeOf(pid: number): ProcessorTime {
  const times = new Map<string, number>()
  const tasks = `/proc/${pid}/task`
  for (const thread of threadsIn(tasks)) {
    const us = microsecondsOf(`${tasks}/${thread}/schedstat`)
    if (us !== undefined) times.set(thread, us)
  }
  return times
}

/** Of each thread what it had between the two, the first thread first and then whichever had most. */
export function spentBetween(
  before: ProcessorTime,
  after: ProcessorTime,
  pid: number,
): readonly number[] {
  const spent = [...after].map(([thread, us]) => [thread, us - (before.get(thread) ?? 0)] as const)
  const first = spent.filter(([thread]) => thread === String(pid)).map(([, us]) => us)
  const others = spent.filter(([thread]) => thread !== String(pid)).map(([, us]) => us)
  return [...first, ...others.sort((a, b) => b - a)]
}

function threadsIn(tasks: string): readonly string[] {
  try {
    return readdirSync(tasks)
  } catch {
    // only Linux has it
    return []
  }
}

/** Undefined for a thread that has ended meanwhile. */
function microsecondsOf(path: string): number | undefined {
  try {
    const [nanoseconds] = readFileSync(path, 'utf8').split(' ')
    return Number(nanoseconds) / 1_000
  } catch {
    return undefined
  }
}
