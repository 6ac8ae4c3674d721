/** How far every worker has followed what it holds in memory: whoever was answered finds what it wrote, whichever worker it asks next. */

import type { ProcessLine } from '../../domain/processLine.ts'

/** The first process's part: takes from each line how far its worker has followed, and tells all of them the least of it. */
export function gatherFollowed(): (line: ProcessLine) => void {
  const followed = new Map<ProcessLine, number>()
  let told = -1
  let isDue = false

  const tell = (): void => {
    isDue = false
    const least = Math.min(...followed.values())
    if (least === told || followed.size === 0) return
    told = least
    for (const line of followed.keys()) if (!line.isFull()) line.tell('followedByAll', least)
  }
  const tellSoon = (): void => {
    if (isDue) return
    isDue = true
    setImmediate(tell)
  }
  return (line) => {
    line.serve({
      hears: {
        followed: (position: number) => {
          followed.set(line, position)
          tellSoon()
        },
      },
    })
    // nobody waits for one that has ended
    void line.ended.then(() => {
      followed.delete(line)
      tellSoon()
    })
  }
}

/** The workers, as one of them sees them. */
export interface Followers {
  /** Tells how far this one has followed. */
  readonly tell: (position: number) => void
  /** True as soon as every worker has followed up to the position, false when that has not come in time. */
  readonly waitFor: (position: number, timeoutMs: number) => Promise<boolean>
}

interface Waiter {
  readonly position: number
  readonly settle: (isFollowed: boolean) => void
}

/** A worker's part, over the line to the first process. */
export function followers(line: Pick<ProcessLine, 'serve' | 'tell'>): Followers {
  const waiters = new Set<Waiter>()
  let least = 0
  const hear = (position: number): void => {
    least = position
    for (const { position: wanted, settle } of waiters) if (wanted <= least) settle(true)
  }
  line.serve({ hears: { followedByAll: hear } })
  return {
    tell: (position) => line.tell('followed', position),
    waitFor: (position, timeoutMs) => {
      if (position <= least) return Promise.resolve(true)
      return new Promise((resolve) => {
        const settle = (isFollowed: boolean): void => {
          clearTimeout(timer)
          waiters.delete(waiter)
          resolve(isFollowed)
        }
        const waiter: Waiter = { position, settle }
        const timer = setTimeout(() => settle(false), timeoutMs)
        waiters.add(waiter)
      })
    },
  }
}
