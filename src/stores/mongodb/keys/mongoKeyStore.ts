/** Stores, reads and destroys wrapped sealing keys in MongoDB; verifies the master key. */

import { Binary, type Collection, type Db } from 'mongodb'
import type { Clock, Random } from '../../../domain/clock.ts'
import type { KeyState } from '../../../events/recording/sealing.ts'
import type { KeyStore } from '../../keyStore.ts'
import {
  createKeyUnwrapper,
  createKeyWrapping,
  type KeyWrapping,
  newKeys,
} from '../../keys/keyWrapping.ts'
import { callLimit, mapLongMongoErrors, mapMongoErrors } from '../mongoErrors.ts'
import {
  destroyKeys,
  type KeyDocument,
  keysOfCallMax,
  openKeyDocuments,
  proveMasterKey,
} from './keyDocuments.ts'

export interface MongoKeyStoreOptions {
  readonly database: Db
  /** 32 bytes. */
  readonly masterKey: Uint8Array
  readonly clock: Clock
  readonly random: Random
}

const guard = mapMongoErrors('key store')
const guardLong = mapLongMongoErrors('key store')

/**
 * Opens the key store in a database, whose connection stays open when it is closed. Rejects with an `Error` for an operator when the keys were made under
 * another master key, and with `unavailable`. Every change is on the disks of the majority before the answer.
 */
export async function openMongoKeyStore(options: MongoKeyStoreOptions): Promise<KeyStore> {
  const { database, masterKey, random } = options
  const wrapping = createKeyWrapping(masterKey, random)
  await guard(proveMasterKey)(database, masterKey)
  const keys = openKeyDocuments(database)
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
export function mongoKeyReader(database: Db, masterKey: Uint8Array): Pick<KeyStore, 'keys'> {
  const unwrap = createKeyUnwrapper(masterKey)
  return {
    keys: guard((ids: readonly string[]) => statesOf(openKeyDocuments(database), unwrap, ids)),
  }
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
    for (const document of found) states.set(document._id, stateOf(document, unwrap))
  }
  return states
}

function stateOf(
  { _id, wrapped, destroyed_at }: KeyDocument,
  unwrap: KeyWrapping['unwrap'],
): KeyState {
  if (destroyed_at) return 'destroyed'
  return (wrapped instanceof Binary && unwrap(_id, wrapped.value())) || 'damaged'
}
