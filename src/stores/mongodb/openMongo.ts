/** Connects to MongoDB at start, reads log witnesses, and gives access to keys and read models. */

import type { KeysToInspect } from '../keys/keyLoss.ts'
import { findMongoDbUrlMistakes, parseMongoDbHosts } from '../mongoDbUrl.ts'
import type { MongoKeyStoreOptions } from './keys/mongoKeyStore.ts'

export type OpenedMongo = Awaited<ReturnType<typeof openMongo>>

/** `onWait` is called with why the start waits. Rejects with an `Error` for an operator when MongoDB cannot be used in time. */
export async function openMongo(
  url: string,
  onWait?: (waiting: { readonly hosts: string; readonly reason: string }) => void,
) {
  const [mistake] = findMongoDbUrlMistakes(url)
  if (mistake !== undefined) throw new Error(`MONGODB_URL ${mistake}`)
  // loaded only here: a service on the embedded store does not need the driver
  const { connectMongoDb, awaitMongoDb } = await import('./mongoConnection.ts')
  const { dropReadModels, readMongoWitnesses } = await import('./mongoReadStore.ts')
  const { openMongoKeyStore } = await import('./keys/mongoKeyStore.ts')
  const { inspectMongoKeys, openMongoKeyRecords, setKeysAside } = await import(
    './keys/mongoKeyRecords.ts'
  )
  const connection = connectMongoDb({ url })
  const { database, close } = connection
  try {
    const hosts = parseMongoDbHosts(url)
    await awaitMongoDb(connection, { onWait: (reason) => onWait?.({ hosts, reason }) })
    return {
      databaseName: database.databaseName,
      /** The events that its read models have seen. */
      witnesses: await readMongoWitnesses(database),
      close,
      inspectKeys: (expected: KeysToInspect) => inspectMongoKeys(database, expected),
      keyRecords: openMongoKeyRecords(database),
      openKeys: (secrets: Omit<MongoKeyStoreOptions, 'database'>) =>
        openMongoKeyStore({ database, ...secrets }),
      setKeysAside: (suffix: string) => setKeysAside(database, suffix),
      dropReadModels: () => dropReadModels(connection),
    }
  } catch (error) {
    await close()
    throw error
  }
}
