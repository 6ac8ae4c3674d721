/** Before anything is tested: a run without a server must not look like one that went well. */

import {
  findEventStoreUrlMistakes,
  findMongoDbUrlMistakes,
} from '../../src/stores/connectionStrings.ts'
import { openEventStoreDb } from '../../src/stores/eventstoredb/openEventStoreDb.ts'
import { awaitMongoDb, connectMongoDb } from '../../src/stores/mongodb/mongoConnection.ts'

export function setup(): Promise<void> {
  return reachServers(process.env)
}

/** Throws an error whose message says what to do. */
export async function reachServers(environment: NodeJS.ProcessEnv): Promise<void> {
  const { EVENTSTORE_URL, MONGODB_URL } = environment
  if (!EVENTSTORE_URL && !MONGODB_URL) {
    throw new Error('Set EVENTSTORE_URL, MONGODB_URL or both to the servers that are to be tested.')
  }
  if (EVENTSTORE_URL) await reachEventStoreDb(EVENTSTORE_URL)
  if (MONGODB_URL) await reachMongoDb(MONGODB_URL)
}

async function reachEventStoreDb(url: string): Promise<void> {
  const [mistake] = findEventStoreUrlMistakes(url)
  if (mistake !== undefined) throw new Error(`EVENTSTORE_URL ${mistake}`)
  const store = await openEventStoreDb({ url })
  await store.close()
}

async function reachMongoDb(url: string): Promise<void> {
  const [mistake] = findMongoDbUrlMistakes(url)
  if (mistake !== undefined) throw new Error(`MONGODB_URL ${mistake}`)
  const connection = connectMongoDb({ url })
  try {
    await awaitMongoDb(connection, { startMs: 10_000 })
  } finally {
    await connection.close()
  }
}
