/** Stores, copies, destroys and inspects sealing keys in MongoDB; verifies their master key. */

import { Binary, type Collection, type Db, MongoBulkWriteError } from 'mongodb'
import type { Clock, Random } from '../../domain/clock.ts'
import type { KeyState } from '../../events/recording/sealing.ts'
import type { KeyStore, SharedKeyStore } from '../keyStore.ts'
import type { KeyRecord, KeyTarget } from '../keys/keyRecords.ts'
import {
  computeMasterKeyProof,
  createKeyUnwrapper,
  createKeyWrapping,
  isProofOf,
  type KeyWrapping,
  newKeys,
} from '../keys/keyWrapping.ts'
import { findMasterKeyLoss, type KeyLoss, type KeysToInspect, keyLoss } from '../losses.ts'
import { guardCalls, type MongoConnection } from './mongoConnection.ts'
import { callLimit, isDuplicate, mapMongoErrors, mongoUnavailable } from './mongoErrors.ts'
import { ignoreMissing } from './readModelCollections.ts'

interface KeyDocument {
  readonly _id: string
  /** The secret, wrapped by the master key; absent once it is destroyed. */
  readonly wrapped?: Binary
  /** When it was destroyed. */
  readonly destroyed_at?: Date
}

export const keyCollection = 'sealing_keys'
/** The collection of data about the keys as a whole. */
const keyStoreCollection = 'key_store'

const keysOfCallMax = 1_000
/** Another instance may destroy the same keys at the same time: the next attempt finds them destroyed. */
const attemptsMax = 4

/** Majority and journal: lost keys could not be rebuilt. */
const durable = { writeConcern: { w: 'majority', j: true, wtimeoutMS: 5_000 } } as const

const what = 'key store'
/** For calls of a start and of a move, which have just connected and can be repeated. */
const guardAtStart = mapMongoErrors(what)

export interface MongoKeyStoreOptions {
  readonly connection: Pick<MongoConnection, 'database' | 'call'>
  /** 32 bytes. */
  readonly masterKey: Uint8Array
  readonly clock: Clock
  readonly random: Random
}

/**
 * Opens the key store over a connection, which stays open when it is closed. Rejects with an `Error` for an operator
 * when the keys were made under another master key, and with `unavailable`. Every change is on the disks of the
 * majority before the answer.
 */
export async function openMongoKeyStore(options: MongoKeyStoreOptions): Promise<SharedKeyStore> {
  const { connection, masterKey, random } = options
  const { database } = connection
  const { guard, guardLong } = guardCalls(connection, what)
  const wrapping = createKeyWrapping(masterKey, random)
  await guard(proveMasterKey)(database, masterKey)
  const keys = keysIn(database)
  await guard(() => keys.createIndex({ destroyed_at: 1 }, { name: 'destroyed', sparse: true }))()

  return {
    make: guardLong(async (count: number) => {
      const made = newKeys(count, options)
      await keys.insertMany(
        made.map((key) => ({ _id: key.id, wrapped: new Binary(wrapping.wrap(key)) })),
      )
      return made
    }),
    keys: guard((ids: readonly string[]) => statesOf(keys, wrapping.unwrap, ids)),
    destroy: guardLong(async (ids: readonly string[], atMs: number) => {
      const destructions = [...new Set(ids)].sort().map((id) => ({ id, destroyedAtMs: atMs }))
      for (const some of chunks(destructions)) await destroyKeys(keys, some)
    }),
    destroyedSince: guard(async (atMs: number) => {
      const since = { destroyed_at: { $gte: new Date(atMs) } }
      const found = await keys.find(since, { projection: { _id: 1 }, ...callLimit }).toArray()
      return found.map(({ _id }) => _id)
    }),
    discard: guardLong(async (ids: readonly string[]) => {
      for (const some of chunks(ids)) {
        await keys.deleteMany({ _id: { $in: [...some] }, destroyed_at: { $exists: false } })
      }
    }),
    close: async () => {},
  }
}

/** Reads keys that were made under this master key, of 32 bytes. Rejects with `unavailable`. */
export function mongoKeyReader(
  connection: MongoKeyStoreOptions['connection'],
  masterKey: Uint8Array,
): Pick<KeyStore, 'keys'> {
  const unwrap = createKeyUnwrapper(masterKey)
  const { guard } = guardCalls(connection, what)
  return {
    keys: guard((ids: readonly string[]) => statesOf(keysIn(connection.database), unwrap, ids)),
  }
}

/**
 * The keys of a database as records to copy; nothing is sent yet. Every function rejects with `unavailable` when
 * MongoDB does not answer.
 */
export function openMongoKeyRecords(database: Db): KeyTarget {
  const keys = keysIn(database)
  return {
    after: guardAtStart(async (id: string) => {
      const next = keys.find({ _id: { $gt: id } }).sort({ _id: 1 })
      return (await next.limit(keysOfCallMax).toArray()).map(keyRecordOf)
    }),
    proof: guardAtStart(() => storedProof(database)),
    put: guardAtStart((page: readonly KeyRecord[]) => putAll(keys, page)),
    finish: guardAtStart((proof: Uint8Array) => keepProof(database, proof)),
  }
}

/**
 * Inspects without writing whether keys were lost: the first loss found, or undefined. Throws `unavailable` when
 * MongoDB does not answer.
 */
export const inspectMongoKeys = guardAtStart(
  async (database: Db, { masterKey, isLogInUse }: KeysToInspect): Promise<KeyLoss | undefined> => {
    const place = {
      keys: keysName(database),
      masterKey: 'master.key, which must be the same for every instance',
    }
    const proof = await storedProof(database)
    if (proof) return findMasterKeyLoss(proof, masterKey, place)
    return isLogInUse ? keyLoss('gone', place, 'there are none, and with them') : undefined
  },
)

/** Renames keys that cannot be opened; returns their new name. Throws `unavailable`: repeat it then. */
export const setKeysAside = guardAtStart(async (database: Db, suffix: string): Promise<string> => {
  // the proof last: until it is gone the keys are known to be useless
  for (const name of [keyCollection, keyStoreCollection]) {
    await ignoreMissing(() => database.collection(name).rename(`${name}${suffix}`))
  }
  return `${keyCollection}${suffix}`
})

/** Names the keys in a message to an operator. */
function keysName({ databaseName }: Db): string {
  return `the sealing keys in MongoDB, database ${databaseName}`
}

function keysIn(database: Db): Collection<KeyDocument> {
  return database.collection<KeyDocument>(keyCollection, durable)
}

function chunks<One>(all: readonly One[]): readonly (readonly One[])[] {
  return Array.from({ length: Math.ceil(all.length / keysOfCallMax) }, (_, index) =>
    all.slice(index * keysOfCallMax, (index + 1) * keysOfCallMax),
  )
}

async function statesOf(
  keys: Collection<KeyDocument>,
  unwrap: KeyWrapping['unwrap'],
  ids: readonly string[],
): Promise<ReadonlyMap<string, KeyState>> {
  const states = new Map<string, KeyState>()
  for (const some of chunks(ids)) {
    const found = await keys.find({ _id: { $in: [...new Set(some)] } }, callLimit).toArray()
    for (const { _id, wrapped, destroyed_at } of found) {
      const secret = wrapped instanceof Binary ? unwrap(_id, wrapped.value()) : undefined
      states.set(_id, destroyed_at ? 'destroyed' : (secret ?? 'damaged'))
    }
  }
  return states
}

function keyRecordOf({ _id: id, wrapped, destroyed_at }: KeyDocument): KeyRecord {
  if (destroyed_at) return { id, destroyedAtMs: destroyed_at.getTime() }
  return { id, wrapped: wrapped instanceof Binary ? wrapped.value() : new Uint8Array() }
}

async function putAll(keys: Collection<KeyDocument>, page: readonly KeyRecord[]): Promise<void> {
  const present = page.filter((key) => 'wrapped' in key)
  const writes = present.map(({ id, wrapped }) => ({
    updateOne: {
      filter: { _id: id },
      update: { $setOnInsert: { wrapped: new Binary(wrapped) } },
      upsert: true,
    },
  }))
  if (writes.length > 0) await keys.bulkWrite(writes, { ordered: false })
  const destroyed = page.filter((key) => 'destroyedAtMs' in key)
  await destroyKeys(keys, destroyed)
}

type Destruction = Extract<KeyRecord, { readonly destroyedAtMs: number }>

/** Destroys at most `keysOfCallMax` keys, unknown ones from now on. One destroyed before keeps its time. */
async function destroyKeys(
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

const proofId = 'master_key'

function proofsIn(database: Db) {
  return database.collection<{ readonly _id: typeof proofId; readonly proof: Binary }>(
    keyStoreCollection,
    durable,
  )
}

/** The first instance leaves the proof. Throws an `Error` for an operator when it is of another master key. */
async function proveMasterKey(database: Db, masterKey: Uint8Array): Promise<void> {
  const stored = await keepProof(database, computeMasterKeyProof(masterKey))
  if (stored && isProofOf(masterKey, stored)) return
  throw new Error(
    `Cannot use ${keysName(database)}: they were made under another master key; start with that one (VIGIL_MASTER_KEY), the same for every instance.`,
  )
}

/** The stored proof; undefined before the first start. */
async function storedProof(database: Db): Promise<Uint8Array | undefined> {
  const found = await proofsIn(database).findOne({ _id: proofId }, { readConcern: 'majority' })
  return found?.proof.value()
}

/** Stores the proof unless there is one; returns the stored one. */
async function keepProof(database: Db, proof: Uint8Array): Promise<Uint8Array | undefined> {
  const stored = await storedProof(database)
  if (stored) return stored
  try {
    await proofsIn(database).insertOne({ _id: proofId, proof: new Binary(proof) })
  } catch (error) {
    // another instance was faster
    if (!isDuplicate(error)) throw error
  }
  return storedProof(database)
}
