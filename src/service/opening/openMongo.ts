/** Meets the MongoDB that keeps read models and sealing keys, before anything is opened that it may prove a loss of. */

import type { Db } from 'mongodb'
import type { LogWitness } from '../../stores/embedded/witnesses.ts'
import { mongoDbHosts, mongoDbUrlMistakes } from '../../stores/mongoDbUrl.ts'

export interface OpenedMongo {
  readonly url: string
  readonly database: Db
  /** What it proves of the log. */
  readonly witnesses: readonly LogWitness[]
  /** See `dropReadModels`. */
  readonly dropReadModels: () => Promise<void>
  readonly close: () => Promise<void>
}

/** `onWait` is told why it is waited. Rejects with an `Error` for an operator when MongoDB cannot be used in time. */
export async function openMongo(
  url: string,
  onWait?: (waiting: { readonly hosts: string; readonly reason: string }) => void,
): Promise<OpenedMongo> {
  const [mistake] = mongoDbUrlMistakes(url)
  if (mistake !== undefined) throw new Error(`MONGODB_URL ${mistake}`)
  // loaded only here: whoever keeps everything in the folder needs nothing of it
  const { connectMongoDb } = await import('../../stores/mongodb/mongoConnection.ts')
  const { meetMongoDb } = await import('../../stores/mongodb/meetMongoDb.ts')
  const { readMongoWitnesses } = await import('../../stores/mongodb/mongoWitnesses.ts')
  const { dropReadModels } = await import('../../stores/mongodb/dropReadModels.ts')
  const connection = connectMongoDb({ url })
  const { database, close } = connection
  try {
    const hosts = mongoDbHosts(url)
    await meetMongoDb(connection, { onWait: (reason) => onWait?.({ hosts, reason }) })
    return {
      ...{ url, database, witnesses: await readMongoWitnesses(database), close },
      dropReadModels: () => dropReadModels(connection),
    }
  } catch (error) {
    await close()
    throw error
  }
}
