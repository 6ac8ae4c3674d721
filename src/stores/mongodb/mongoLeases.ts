/** Grants fenced leases in MongoDB, and reads the clock of its server. */

import type { Db } from 'mongodb'
import type { Lease, LeaseRequest, Leases } from '../lease.ts'
import { isDuplicate } from './mongoErrors.ts'
import type { ReadModelStateStore } from './readModelState.ts'

interface LeaseDocument {
  /** The name. */
  readonly _id: string
  readonly owner: string
  readonly fence: number
  /** In milliseconds since the Unix epoch, by the clock of the server. */
  readonly ends: number
}

const leaseCollection = 'leases'

/**
 * Uncertainty of the server's time: an end further ahead than a lease and this was written by a clock that has been put
 * back.
 */
const clockSlackMs = 5_000

/** The leases of the database, by the time of the server, for all instances alike. Throws what the driver throws. */
export function openMongoLeases(
  database: Db,
  states: ReadModelStateStore,
  nowMs: () => Promise<number>,
): Leases {
  const documents = database.collection<LeaseDocument>(leaseCollection)

  const grant = async ({ name, owner, forMs }: LeaseRequest): Promise<LeaseDocument | null> => {
    const now = await nowMs()
    const available = [
      { owner },
      { ends: { $lte: now } },
      { ends: { $gt: now + forMs + clockSlackMs } },
    ]
    try {
      const lease = { owner, ends: now + forMs }
      const granted = await documents.findOneAndUpdate(
        { _id: name, $or: available },
        { $set: lease, $inc: { fence: 1 } },
        { returnDocument: 'after' },
      )
      if (granted) return granted
      // the time is greater than every fence that there was before somebody dropped the leases
      const first = { _id: name, ...lease, fence: now }
      await documents.insertOne(first)
      return first
    } catch (error) {
      // it exists and is not free: another owner has it
      if (isDuplicate(error)) return null
      throw error
    }
  }

  return {
    acquire: async (request): Promise<Lease | undefined> => {
      const granted = await grant(request)
      if (!granted) return undefined
      const { name, owner } = request
      const { fence } = granted
      await states.change({}, { $max: { [`fences.${name}`]: fence } })
      return { name, owner, fence }
    },
    renew: async ({ name, fence }, forMs) => {
      const ends = (await nowMs()) + forMs
      const { matchedCount } = await documents.updateOne({ _id: name, fence }, { $set: { ends } })
      return matchedCount > 0
    },
    release: async ({ name, fence }) => {
      await documents.updateOne({ _id: name, fence }, { $set: { ends: 0 } })
    },
  }
}

/**
 * The time of the server, from its answer to `hello`, which needs no permission. Without a time in the answer, the
 * local clock is used. Rejects with the driver's error.
 */
export async function serverTimeMs(database: Db): Promise<number> {
  const { localTime } = await database.command({ hello: 1 })
  return localTime instanceof Date ? localTime.getTime() : Date.now()
}
