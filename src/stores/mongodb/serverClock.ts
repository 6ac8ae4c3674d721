/** The clock of the server, by which instances agree though their own clocks do not. */

import { type Db, type Document, MongoServerError } from 'mongodb'

/** How long a measured difference is good for: clocks drift by far less in it. */
const measureEveryMs = 30_000

/**
 * Tells the time of the server from its answer to a greeting, which every server gives, whoever asks. One that does not tell it leaves the own
 * clock. Rejects with what the driver throws.
 */
export function serverClock(database: Db, nowMs: () => number = Date.now): () => Promise<number> {
  let measured: { readonly aheadMs: number; readonly atMs: number } | undefined

  const measure = async (): Promise<number> => {
    const askedMs = nowMs()
    const { localTime } = await greeted(database)
    const atMs = nowMs()
    const toldMs = msOf(localTime)
    const aheadMs = toldMs === undefined ? 0 : toldMs - (askedMs + atMs) / 2
    measured = { aheadMs, atMs }
    return aheadMs
  }

  return async () => {
    const isGood = measured && Math.abs(nowMs() - measured.atMs) < measureEveryMs
    const aheadMs = isGood && measured ? measured.aheadMs : await measure()
    return Math.round(nowMs() + aheadMs)
  }
}

/** A date, or milliseconds since the Unix epoch, as DocumentDB tells it. */
function msOf(time: unknown): number | undefined {
  if (time instanceof Date) return time.getTime()
  return typeof time === 'number' && Number.isFinite(time) ? time : undefined
}

const commandNotFound = 59

/** `hello` by its older name where a server does not know the newer one. */
async function greeted(database: Db): Promise<Document> {
  try {
    return await database.command({ hello: 1 })
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== commandNotFound) throw error
    return database.command({ isMaster: 1 })
  }
}
