/**
 * Whether the log takes appends. One that failed makes it failing; from then on it is tried by itself, now and then, until there is room
 * for any append there may be: one that fits by chance does not make it well.
 */

import type { BatchResult } from './logWriter.ts'

export interface LogHealth {
  readonly takesAppends: () => boolean
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

/** A log that is well. */
export function logHealth(options: LogHealthOptions): LogHealth {
  const { probe, onTrouble, probeEveryMs = 5_000 } = options
  let trouble: string | undefined
  let timer: NodeJS.Timeout | undefined
  let trying: Promise<void> | undefined
  let closed = false

  const become = (reason: string | undefined): void => {
    if ((trouble === undefined) !== (reason === undefined)) onTrouble?.(reason)
    trouble = reason
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
    takesAppends: () => trouble === undefined,
    note: (result) => {
      const reason = reasonOf(result)
      if (reason === undefined) return
      become(reason)
      if (!isFinal(result)) tryLater()
    },
    close: async () => {
      closed = true
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
