/** Meets the MongoDB that keeps read models and sealing keys, before anything is opened that it may prove a loss of. */

import type { Db } from 'mongodb'
import type { LogWitness } from '../../stores/embedded/logWitnesses.ts'
import { mongoDbHosts } from '../../stores/mongoDbUrl.ts'
import type { StoreOptions } from './openStores.ts'

export interface OpenedMongo {
  readonly url: string
  readonly database: Db
  /** What it proves of the log. */
  readonly witnesses: readonly LogWitness[]
  readonly close: () => Promise<void>
}

/** Undefined when the folder keeps everything. Rejects with an `Error` for an operator when MongoDB cannot be used in time. */
export async function openMongo({
  mongoDbUrl: url,
  logger,
}: Pick<StoreOptions, 'mongoDbUrl' | 'logger'>): Promise<OpenedMongo | undefined> {
  if (url === undefined) return undefined
  // loaded only here: whoever keeps everything in the folder needs nothing of it
  const { connectMongoDb } = await import('../../stores/mongodb/mongoConnection.ts')
  const { meetMongoDb } = await import('../../stores/mongodb/meetMongoDb.ts')
  const { readMongoWitnesses } = await import('../../stores/mongodb/mongoWitnesses.ts')
  const connection = connectMongoDb({ url })
  const { database, close } = connection
  try {
    const hosts = mongoDbHosts(url)
    const onWait = (reason: string) => logger.warn({ hosts, reason }, 'Waiting for MongoDB.')
    await meetMongoDb(connection, { onWait })
    return { url, database, witnesses: await readMongoWitnesses(database), close }
  } catch (error) {
    await close()
    throw error
  }
}
