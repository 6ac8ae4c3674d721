/** Connects to MongoDB at start, reads log witnesses, and gives access to keys and read models. */

import type { Db } from 'mongodb'
import type { KeyLoss, KeysToInspect } from '../embedded/inspectStores.ts'
import type { LogWitness } from '../embedded/witnesses.ts'
import type { KeyStore } from '../keyStore.ts'
import { findMongoDbUrlMistakes, parseMongoDbHosts } from '../mongoDbUrl.ts'
import type { MongoKeyStoreOptions } from './keys/mongoKeyStore.ts'

export interface OpenedMongo {
  readonly url: string
  readonly database: Db
  /** The events that its read models have seen. */
  readonly witnesses: readonly LogWitness[]
  /** See `inspectKeys` of the embedded stores. */
  readonly inspectKeys: (expected: KeysToInspect) => Promise<KeyLoss | undefined>
  /** Rejects like `openMongoKeyStore`. */
  readonly openKeys: (secrets: Omit<MongoKeyStoreOptions, 'database'>) => Promise<KeyStore>
  /** See `setKeysAside`. */
  readonly setKeysAside: (suffix: string) => Promise<string>
  /** See `dropReadModels`. */
  readonly dropReadModels: () => Promise<void>
  readonly close: () => Promise<void>
}

/** `onWait` is called with why the start waits. Rejects with an `Error` for an operator when MongoDB cannot be used in time. */
export async function openMongo(
  url: string,
  onWait?: (waiting: { readonly hosts: string; readonly reason: string }) => void,
): Promise<OpenedMongo> {
  const [mistake] = findMongoDbUrlMistakes(url)
  if (mistake !== undefined) throw new Error(`MONGODB_URL ${mistake}`)
  // loaded only here: a service on the embedded store does not need the driver
  const { connectMongoDb, awaitMongoDb } = await import('./mongoConnection.ts')
  const { dropReadModels, readMongoWitnesses } = await import('./mongoReadStore.ts')
  const { openMongoKeyStore } = await import('./keys/mongoKeyStore.ts')
  const { inspectMongoKeys, setKeysAside } = await import('./keys/mongoKeyRecords.ts')
  const connection = connectMongoDb({ url })
  const { database, close } = connection
  try {
    const hosts = parseMongoDbHosts(url)
    await awaitMongoDb(connection, { onWait: (reason) => onWait?.({ hosts, reason }) })
    return {
      ...{ url, database, witnesses: await readMongoWitnesses(database), close },
      inspectKeys: (expected) => inspectMongoKeys(database, expected),
      openKeys: (secrets) => openMongoKeyStore({ database, ...secrets }),
      setKeysAside: (suffix) => setKeysAside(database, suffix),
      dropReadModels: () => dropReadModels(connection),
    }
  } catch (error) {
    await close()
    throw error
  }
}
