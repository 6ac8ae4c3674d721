/** Destroys sealing keys in MongoDB, and stores and verifies the proof of their master key. */

import { Binary, type Collection, type Db, MongoBulkWriteError } from 'mongodb'
import type { KeyRecord } from '../../keys/keyRecords.ts'
import { computeMasterKeyProof, isProofOf } from '../../keys/keyWrapping.ts'
import { isDuplicate, mongoUnavailable } from '../mongoErrors.ts'

export interface KeyDocument {
  readonly _id: string
  /** The secret, wrapped by the master key; absent once it is destroyed. */
  readonly wrapped?: Binary
  /** When it was destroyed. */
  readonly destroyed_at?: Date
}

export const keyCollection = 'sealing_keys'
/** The collection of data about the keys as a whole. */
export const keyStoreCollection = 'key_store'

/** Keys of one call. */
export const keysOfCallMax = 1_000
/** Another instance may destroy the same keys at the same time: the next attempt finds them destroyed. */
const attemptsMax = 4

/** Names the keys in a message to an operator. */
export function keysName({ databaseName }: Pick<Db, 'databaseName'>): string {
  return `the sealing keys in MongoDB, database ${databaseName}`
}

/** Lost keys could not be rebuilt. */
const durable = { writeConcern: { w: 'majority', j: true, wtimeoutMS: 5_000 } } as const

/** The collection, with majority write concern. */
export function openKeyDocuments(database: Db): Collection<KeyDocument> {
  return database.collection<KeyDocument>(keyCollection, durable)
}

export type Destruction = Extract<KeyRecord, { readonly destroyedAtMs: number }>

/** Destroys at most `keysOfCallMax` keys. One destroyed before keeps its time; an unknown one is destroyed from now on. */
export async function destroyKeys(
  keys: Collection<KeyDocument>,
  destructions: readonly Destruction[],
): Promise<void> {
  let left = destructions
  for (let attempts = 0; attempts < attemptsMax && left.length > 0; attempts += 1) {
    await destroySome(keys, left)
    const done = { _id: { $in: left.map(({ id }) => id) }, destroyed_at: { $exists: true } }
    const found = await keys.find(done, { projection: { _id: 1 } }).toArray()
    const gone = new Set(found.map(({ _id }) => _id))
    left = left.filter(({ id }) => !gone.has(id))
  }
  if (left.length > 0) throw mongoUnavailable('key store', `${left.length} keys were not destroyed`)
}

async function destroySome(keys: Collection<KeyDocument>, destructions: readonly Destruction[]) {
  const writes = destructions.map(({ id, destroyedAtMs }) => ({
    updateOne: {
      filter: { _id: id, destroyed_at: { $exists: false } },
      update: { $set: { destroyed_at: new Date(destroyedAtMs) }, $unset: { wrapped: '' as const } },
      upsert: true,
    },
  }))
  try {
    await keys.bulkWrite(writes, { ordered: false })
  } catch (error) {
    // some were destroyed before, or are being added just now: the caller reads which
    const isOfSome = error instanceof MongoBulkWriteError && !error.result.getWriteConcernError()
    if (!isOfSome || [error.writeErrors].flat().length === 0) throw error
  }
}

const id = 'master_key'

function proofDocuments(database: Db) {
  return database.collection<{ readonly _id: typeof id; readonly proof: Binary }>(
    keyStoreCollection,
    durable,
  )
}

/** The first instance to open the store leaves the proof. Throws an `Error` for an operator unless it is of the same master key. */
export async function proveMasterKey(database: Db, masterKey: Uint8Array): Promise<void> {
  const stored = await keepProof(database, computeMasterKeyProof(masterKey))
  if (stored && isProofOf(masterKey, stored)) return
  throw new Error(
    `Cannot use ${keysName(database)}: they were made under another master key; start with that one (VIGIL_MASTER_KEY), the same for every instance.`,
  )
}

/** The stored proof; undefined before the first start. */
export async function storedProof(database: Db): Promise<Uint8Array | undefined> {
  const found = await proofDocuments(database).findOne({ _id: id }, { readConcern: 'majority' })
  return found?.proof.value()
}

/** Stores the proof unless there is one; returns the stored one. */
export async function keepProof(database: Db, proof: Uint8Array): Promise<Uint8Array | undefined> {
  const stored = await storedProof(database)
  if (stored) return stored
  try {
    await proofDocuments(database).insertOne({ _id: id, proof: new Binary(proof) })
  } catch (error) {
    // another instance was faster
    if (!isDuplicate(error)) throw error
  }
  return storedProof(database)
}
