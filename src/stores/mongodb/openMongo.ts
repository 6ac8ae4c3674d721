/** Connects to MongoDB at start, reads log witnesses, and gives access to keys and read models. */

import { findMongoDbUrlMistakes, parseMongoDbUrl } from '../connectionStrings.ts'
import type { KeysToInspect } from '../losses.ts'
import type { MongoKeyStoreOptions } from './mongoKeyStore.ts'

export type OpenedMongo = Awaited<ReturnType<typeof openMongo>>

/** `onWait` is told why the start waits. Rejects with an `Error` for an operator when MongoDB is not ready in time. */
export async function openMongo(
  url: string,
  onWait?: (waiting: { readonly hosts: string; readonly reason: string }) => void,
) {
  const [mistake] = findMongoDbUrlMistakes(url)
  if (mistake !== undefined) throw new Error(`MONGODB_URL ${mistake}`)
  // loaded only here: a service on the embedded store does not need the driver
  const { connectMongoDb, awaitMongoDb } = await import('./mongoConnection.ts')
  const { dropReadModels, readMongoWitnesses } = await import('./mongoReadStore.ts')
  const { inspectMongoKeys, openMongoKeyRecords, openMongoKeyStore, setKeysAside } = await import(
    './mongoKeyStore.ts'
  )
  const connection = connectMongoDb({ url })
  const { database, close } = connection
  try {
    const { hosts } = parseMongoDbUrl(url)
    await awaitMongoDb(connection, (reason) => onWait?.({ hosts, reason }))
    return {
      databaseName: database.databaseName,
      /** The events that its read models have seen. */
      witnesses: await readMongoWitnesses(database),
      close,
      inspectKeys: (expected: KeysToInspect) => inspectMongoKeys(database, expected),
      keyRecords: openMongoKeyRecords(database),
      openKeys: (secrets: Omit<MongoKeyStoreOptions, 'connection'>) =>
        openMongoKeyStore({ connection, ...secrets }),
      setKeysAside: (suffix: string) => setKeysAside(database, suffix),
      dropReadModels: () => dropReadModels(connection),
    }
  } catch (error) {
    await close()
    throw error
  }
}
