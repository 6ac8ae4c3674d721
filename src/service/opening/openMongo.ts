/** Meets the MongoDB that keeps read models and sealing keys, before anything is opened that it may prove a loss of. */

import type { Db } from 'mongodb'
import type { LogWitness } from '../../stores/embedded/logWitnesses.ts'
import type { Mark } from '../../stores/embedded/witnessFile.ts'
import { mongoDbHosts, mongoDbUrlMistakes } from '../../stores/mongoDbUrl.ts'

export interface OpenedMongo {
  readonly url: string
  readonly database: Db
  /** What it proves of the log. */
  readonly witnesses: readonly LogWitness[]
  /** See `rememberMongoEnd`. */
  readonly rememberEnd: (mark: Mark | undefined) => Promise<void>
  /** The keys know this of the log from then on; of nothing nothing. */
  readonly seeLog: (mark: Mark | undefined) => Promise<void>
  readonly close: () => Promise<void>
}

/** Undefined without a connection string, when the folder keeps everything. `onWait` is told why it is waited. Rejects with an `Error` for an operator when MongoDB cannot be used in time. */
export async function openMongo(
  url: string | undefined,
  onWait?: (waiting: { readonly hosts: string; readonly reason: string }) => void,
): Promise<OpenedMongo | undefined> {
  if (url === undefined) return undefined
  const [mistake] = mongoDbUrlMistakes(url)
  if (mistake !== undefined) throw new Error(`MONGODB_URL ${mistake}`)
  // loaded only here: whoever keeps everything in the folder needs nothing of it
  const { connectMongoDb } = await import('../../stores/mongodb/mongoConnection.ts')
  const { meetMongoDb } = await import('../../stores/mongodb/meetMongoDb.ts')
  const { readMongoWitnesses } = await import('../../stores/mongodb/mongoWitnesses.ts')
  const { seeLogAnew } = await import('../../stores/mongodb/mongoKeyHistory.ts')
  const { rememberMongoEnd } = await import('../../stores/mongodb/rememberMongoEnd.ts')
  const connection = connectMongoDb({ url })
  const { database, close } = connection
  try {
    const hosts = mongoDbHosts(url)
    await meetMongoDb(connection, { onWait: (reason) => onWait?.({ hosts, reason }) })
    return {
      ...{ url, database, witnesses: await readMongoWitnesses(database), close },
      rememberEnd: (mark) => rememberMongoEnd(connection, mark),
      seeLog: (mark) => seeLogAnew(database, mark),
    }
  } catch (error) {
    await close()
    throw error
  }
}
