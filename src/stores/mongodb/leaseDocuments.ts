/** Acquires, renews and releases leases in MongoDB; a fence is recorded before its lease is granted. */

import type { Db } from 'mongodb'
import type { Lease, LeaseHolder, LeaseRequest, Leases } from '../lease.ts'
import { isDuplicate } from './mongoErrors.ts'
import type { ReadModelStates } from './readModelState.ts'

interface LeaseDocument {
  /** The name. */
  readonly _id: string
  readonly owner: string
  readonly fence: number
  /** In milliseconds since the Unix epoch, by the clock of the server. */
  readonly ends: number
}

const leaseCollection = 'leases'

/** The time of the server is known no better than this: an end that is ahead by less was not written by a clock that was put back. */
const clockSlackMs = 5_000

interface LeaseOptions {
  readonly database: Db
  readonly states: ReadModelStates
  /** The time of the server, for all instances alike. */
  readonly nowMs: () => Promise<number>
}

/** Throws what the driver throws. */
export function leaseDocuments({ database, states, nowMs }: LeaseOptions): Leases {
  const documents = database.collection<LeaseDocument>(leaseCollection)

  const give = async ({ name, owner, forMs }: LeaseRequest): Promise<LeaseDocument | null> => {
    const now = await nowMs()
    const free = [{ owner }, { ends: { $lte: now } }, { ends: { $gt: now + forMs + clockSlackMs } }]
    try {
      return await documents.findOneAndUpdate(
        { _id: name, $or: free },
        { $set: { owner, ends: now + forMs }, $inc: { fence: 1 } },
        { upsert: true, returnDocument: 'after' },
      )
    } catch (error) {
      // it is there and not free: another has it
      if (isDuplicate(error)) return null
      throw error
    }
  }

  return {
    acquire: async (request): Promise<Lease | undefined> => {
      const given = await give(request)
      if (!given) return undefined
      const { name, owner } = request
      const { fence } = given
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
    holder: async (name): Promise<LeaseHolder | undefined> => {
      const found = await documents.findOne({ _id: name })
      return found
        ? { owner: found.owner, fence: found.fence, isHeld: found.ends > (await nowMs()) }
        : undefined
    },
  }
}
