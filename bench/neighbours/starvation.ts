/** How long a process was kept from the processors by others, as the kernel counts it. */

import { readFileSync } from 'node:fs'

/**
 * Answers for how many milliseconds the first thread of the process has waited for a processor so far; 0 where the
 * kernel does not say.
 */
export function starvationOf(pid: number): () => number {
  const file = `/proc/${pid}/schedstat`
  return () => {
    try {
      return starvedIn(readFileSync(file, 'utf8'))
    } catch {
      // another system than Linux, or the process has ended
      return 0
    }
  }
}

/** The second number of the kernel's line, nanoseconds, in milliseconds. */
export function starvedIn(line: string): number {
  return Number(line.split(' ')[1]) / 1e6
}
