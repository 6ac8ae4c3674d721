/** Declares the documents of sealing keys in MongoDB, and destroys keys. */

import {
  type AnyBulkWriteOperation,
  type Binary,
  type Collection,
  type Db,
  MongoBulkWriteError,
} from 'mongodb'
import { mongoUnavailable } from '../mongoErrors.ts'

export interface KeyDocument {
  readonly _id: string
  /** The secret, wrapped by the master key; absent once it is destroyed. */
  readonly wrapped?: Binary
  /** When it was destroyed. */
  readonly destroyed_at?: Date
}

export const keyCollection = 'sealing_keys'

/** Keys of one call. */
export const keysOfCallMax = 1_000
/** Another instance may destroy the same keys at the same time: the next try finds them destroyed. */
const triesMax = 4

/** Where the keys are kept, for a sentence to an operator. */
export function keyPlace({ databaseName }: Pick<Db, 'databaseName'>): string {
  return `the sealing keys in MongoDB, database ${databaseName}`
}

/** The collection, with majority write concern: lost keys could not be rebuilt. */
export function keyDocuments(database: Db): Collection<KeyDocument> {
  return database.collection<KeyDocument>(keyCollection, {
    writeConcern: { w: 'majority', j: true, wtimeoutMS: 5_000 },
  })
}

export interface Destruction {
  readonly id: string
  readonly atMs: number
}

/** Destroys at most as many as go into one call. What was destroyed before keeps its time; what never was is destroyed from now on. */
export async function destroyKeys(
  keys: Collection<KeyDocument>,
  destructions: readonly Destruction[],
): Promise<void> {
  let left = destructions
  for (let tries = 0; tries < triesMax && left.length > 0; tries += 1) {
    await destroySome(keys, left)
    const _id = { $in: left.map(({ id }) => id) }
    const done = await keys
      .find({ _id, destroyed_at: { $exists: true } }, { projection: { _id: 1 } })
      .toArray()
    const gone = new Set(done.map((document) => document._id))
    left = left.filter(({ id }) => !gone.has(id))
  }
  if (left.length > 0) throw mongoUnavailable('key store', `${left.length} keys were not destroyed`)
}

async function destroySome(
  keys: Collection<KeyDocument>,
  destructions: readonly Destruction[],
): Promise<void> {
  const writes = destructions.map(
    ({ id, atMs }): AnyBulkWriteOperation<KeyDocument> => ({
      updateOne: {
        filter: { _id: id, destroyed_at: { $exists: false } },
        update: { $set: { destroyed_at: new Date(atMs) }, $unset: { wrapped: '' } },
        upsert: true,
      },
    }),
  )
  try {
    await keys.bulkWrite(writes, { ordered: false })
  } catch (error) {
    // some were destroyed before, or are being added just now: the caller looks which
    const isOfSome = error instanceof MongoBulkWriteError && !error.result.getWriteConcernError()
    if (!isOfSome || [error.writeErrors].flat().length === 0) throw error
  }
}
