/** Measures the clock of the MongoDB server, so that instances agree on the time of leases. */

import type { Db } from 'mongodb'

/** How long a measured difference is good for: clocks drift by far less in it. */
const measureEveryMs = 30_000

/**
 * The time of the server, from its answer to `hello`, which needs no permission. Without a time in the answer, the local clock is used.
 * Rejects with the driver's error.
 */
export function serverClock(database: Db, nowMs: () => number = Date.now): () => Promise<number> {
  let measured: { readonly aheadMs: number; readonly atMs: number } | undefined

  const measure = async (): Promise<number> => {
    const askedMs = nowMs()
    const { localTime } = await database.command({ hello: 1 })
    const atMs = nowMs()
    const isTold = localTime instanceof Date
    const aheadMs = isTold ? localTime.getTime() - (askedMs + atMs) / 2 : 0
    measured = { aheadMs, atMs }
    return aheadMs
  }

  return async () => {
    const isGood = measured && Math.abs(nowMs() - measured.atMs) < measureEveryMs
    const aheadMs = isGood && measured ? measured.aheadMs : await measure()
    return Math.round(nowMs() + aheadMs)
  }
}
