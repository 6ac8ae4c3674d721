/** The key store in MongoDB: a document for each key, which loses its secret for good when the key is destroyed. */

import {
  type AnyBulkWriteOperation,
  Binary,
  type Collection,
  type Db,
  MongoBulkWriteError,
} from 'mongodb'
import type { KeyState } from '../../events/recording/sealing.ts'
import type { KeyStore, SealingKey } from '../keyStore.ts'
import { type KeyWrapping, keyWrapping } from '../keyWrapping.ts'
import { proveMasterKey } from './masterKeyProof.ts'
import { type MongoKeyHistoryOptions, mongoKeyHistory } from './mongoKeyHistory.ts'
import { guardedLongMongo, guardedMongo, isDuplicate, mongoUnavailable } from './mongoTrouble.ts'

interface KeyDocument {
  readonly _id: string
  /** The secret, wrapped by the master key; absent once it is destroyed. */
  readonly wrapped?: Binary
  /** When it was destroyed. */
  readonly destroyed_at?: Date
}

export interface MongoKeyStoreOptions extends MongoKeyHistoryOptions {
  readonly database: Db
  /** 32 bytes. */
  readonly masterKey: Uint8Array
}

export const keyCollection = 'sealing_keys'

/** Where the keys are kept, for a sentence to an operator. */
export function keyPlace({ databaseName }: Db): string {
  return `the sealing keys in MongoDB, database ${databaseName}`
}

/** Keys of one call. */
const callMax = 1_000
/** Another instance may destroy the same keys at the same time: the next try finds them destroyed. */
const triesMax = 4

const guard = guardedMongo('key store')
const guardLong = guardedLongMongo('key store')

/**
 * Opens the key store in a database, whose connection stays open when it is closed. Rejects with an `Error` for an operator when the keys were made under
 * another master key, and with `unavailable`. What is answered is on the disks of the majority.
 */
export async function openMongoKeyStore(options: MongoKeyStoreOptions): Promise<KeyStore> {
  const { database, masterKey, chance } = options
  const wrapping = keyWrapping(masterKey, chance)
  await guard(proveMasterKey)(database, masterKey)
  const keys = database.collection<KeyDocument>(keyCollection, {
    // of what is gone nothing could be built again
    writeConcern: { w: 'majority', j: true, wtimeoutMS: 5_000 },
  })
  await guard(() => keys.createIndex({ destroyed_at: 1 }, { name: 'destroyed', sparse: true }))()
  const history = await guard(mongoKeyHistory)(database, options)

  return {
    add: guardLong(async (added: readonly SealingKey[]) => {
      for (const some of chunks(added)) await addAll(keys, wrapping, some)
      await history.note()
    }),
    keys: guard((ids: readonly string[]) => statesOf(keys, wrapping, ids)),
    destroy: guardLong(async (ids: readonly string[], atMs: number) => {
      for (const some of chunks([...new Set(ids)].sort())) await destroyAll(keys, some, atMs)
      await history.note()
    }),
    destroyedSince: guard(async (atMs: number) => {
      const since = { destroyed_at: { $gte: new Date(atMs) } }
      const found = await keys.find(since, { projection: { _id: 1 } }).toArray()
      return found.map(({ _id }) => _id)
    }),
    discard: guardLong(async (ids: readonly string[]) => {
      for (const some of chunks(ids)) {
        await keys.deleteMany({ _id: { $in: [...some] }, destroyed_at: { $exists: false } })
      }
      await history.note()
    }),
    close: async () => history.close(),
  }
}

function chunks<One>(all: readonly One[]): readonly (readonly One[])[] {
  return Array.from({ length: Math.ceil(all.length / callMax) }, (_, index) =>
    all.slice(index * callMax, (index + 1) * callMax),
  )
}

/** All of them or none: what was added of a call that fails is taken back, and nobody has it. */
async function addAll(
  keys: Collection<KeyDocument>,
  wrapping: KeyWrapping,
  added: readonly SealingKey[],
): Promise<void> {
  const documents = added.map((key) => ({ _id: key.id, wrapped: new Binary(wrapping.wrap(key)) }))
  try {
    await keys.insertMany(documents)
  } catch (error) {
    if (!isDuplicate(error)) throw error
    // by their bytes too: the one that was there before has the same id
    await keys.bulkWrite(documents.map((filter) => ({ deleteOne: { filter } })))
    throw new Error('the id of a sealing key is taken')
  }
}

async function statesOf(
  keys: Collection<KeyDocument>,
  wrapping: KeyWrapping,
  ids: readonly string[],
): Promise<ReadonlyMap<string, KeyState>> {
  const states = new Map<string, KeyState>()
  for (const some of chunks(ids)) {
    const found = await keys.find({ _id: { $in: [...new Set(some)] } }).toArray()
    for (const document of found) states.set(document._id, stateOf(document, wrapping))
  }
  return states
}

function stateOf({ _id, wrapped, destroyed_at }: KeyDocument, wrapping: KeyWrapping): KeyState {
  if (destroyed_at) return 'destroyed'
  return (wrapped instanceof Binary && wrapping.unwrap(_id, wrapped.value())) || 'damaged'
}

/** What was destroyed before keeps its time; what never was is destroyed from now on. */
async function destroyAll(
  keys: Collection<KeyDocument>,
  ids: readonly string[],
  atMs: number,
): Promise<void> {
  const destroyed_at = new Date(atMs)
  let left = ids
  for (let tries = 0; tries < triesMax && left.length > 0; tries += 1) {
    await destroySome(keys, left, destroyed_at)
    const done = await keys
      .find(
        { _id: { $in: [...left] }, destroyed_at: { $exists: true } },
        { projection: { _id: 1 } },
      )
      .toArray()
    const gone = new Set(done.map(({ _id }) => _id))
    left = left.filter((id) => !gone.has(id))
  }
  if (left.length > 0) throw mongoUnavailable('key store', `${left.length} keys were not destroyed`)
}

async function destroySome(
  keys: Collection<KeyDocument>,
  ids: readonly string[],
  destroyed_at: Date,
): Promise<void> {
  const writes = ids.map(
    (_id): AnyBulkWriteOperation<KeyDocument> => ({
      updateOne: {
        filter: { _id, destroyed_at: { $exists: false } },
        update: { $set: { destroyed_at }, $unset: { wrapped: '' } },
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
