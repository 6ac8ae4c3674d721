/** Whether the disk goes on with what is being written: of a write that hangs nothing else is heard. */

export interface WriteWatch {
  /** To be told of every write when it begins, and when it has ended, however. */
  readonly begun: () => void
  readonly ended: () => void
  /** Whether one is under way and none has ended for longer than the limit. */
  readonly hangs: () => boolean
  readonly close: () => void
}

/** How often is looked whether a write has ended. */
const lookMs = 1_000
/**
 * Looks without an end: more than 5 s, which no sync of a busy disk takes, and well before those who wait are answered that there was no
 * answer in time. Looks are counted, not the time: while this thread stands still it hears of no end.
 */
const hangingLooks = 6

/** Begins to look, and calls `onHang` each time that what is under way begins to hang. */
export function watchWrites(onHang: () => void): WriteWatch {
  let underWay = 0
  let looks = 0
  const look = (): void => {
    looks = underWay > 0 ? looks + 1 : 0
    if (looks === hangingLooks) onHang()
  }
  const timer = setInterval(look, lookMs).unref()
  return {
    begun: () => {
      underWay += 1
    },
    ended: () => {
      underWay -= 1
      looks = 0
    },
    hangs: () => looks >= hangingLooks,
    close: () => clearInterval(timer),
  }
}
