/**
 * Whether the log takes appends. One that failed makes it failing; from then on it is tried by itself, now and then, until there is room
 * for any append there may be: one that fits by chance does not make it well. One that does not end makes it failing until it does.
 */

import type { BatchResult } from './logWriter.ts'

export interface LogHealth {
  readonly takesAppends: () => boolean
  /** To be told of every batch that leaves for the disk, before its end is noted. */
  readonly begun: () => void
  /** To be told what became of every batch. */
  readonly note: (result: BatchResult) => void
  /** Settles when nothing is being tried any more. */
  readonly close: () => Promise<void>
}

export interface LogHealthOptions {
  /** Tries to write without adding an event; never rejects. */
  readonly probe: () => Promise<BatchResult>
  /** Told why the log has begun to fail, and with undefined that it is well again. */
  readonly onTrouble?: (reason: string | undefined) => void
  /** Time between two tries. */
  readonly probeEveryMs?: number
}

const hanging = 'A write has been under way for more than 5 s: the disk does not answer.'

/** A log that is well. */
export function logHealth(options: LogHealthOptions): LogHealth {
  const { probe, onTrouble, probeEveryMs = 5_000 } = options
  let trouble: string | undefined
  let told: string | undefined
  let timer: NodeJS.Timeout | undefined
  let trying: Promise<void> | undefined
  let closed = false

  const reasonNow = (): string | undefined => trouble ?? (writes.hangs() ? hanging : undefined)
  /** What follows a failure is not said again; why what hung has failed is. */
  const tell = (): void => {
    const reason = reasonNow()
    const isWell = reason === undefined
    if (isWell !== (told === undefined) || (told === hanging && reason !== hanging)) {
      onTrouble?.(reason)
    }
    told = reason
  }
  const writes = watchWrites(tell)
  const become = (reason: string | undefined): void => {
    trouble = reason
    tell()
  }
  const tryLater = (): void => {
    if (closed || timer !== undefined || trying) return
    timer = setTimeout(() => {
      timer = undefined
      trying = tryNow()
    }, probeEveryMs).unref()
  }
  const tryNow = async (): Promise<void> => {
    const result = await probe()
    trying = undefined
    become(reasonOf(result))
    if (!isFinal(result) && trouble !== undefined) tryLater()
  }

  return {
    takesAppends: () => reasonNow() === undefined,
    begun: writes.begun,
    note: (result) => {
      writes.ended()
      const reason = reasonOf(result)
      become(reason ?? trouble)
      if (reason !== undefined && !isFinal(result)) tryLater()
    },
    close: async () => {
      closed = true
      writes.close()
      clearTimeout(timer)
      await trying
    },
  }
}

function reasonOf(result: BatchResult): string | undefined {
  return result.kind === 'refused' ? result.reason : result.unwitnessed
}

/** A broken writer writes no more until it is opened anew. */
function isFinal(result: BatchResult): boolean {
  return result.kind === 'refused' && result.broken
}

interface WriteWatch {
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
function watchWrites(onHang: () => void): WriteWatch {
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
