/** Has MongoDB go on with a log that has lost something: what stood on positions that it does not have any more is made anew. */

import type { Mark } from '../embedded/witnessFile.ts'
import type { MongoConnection } from './mongoConnection.ts'
import { seeLogAnew } from './mongoKeyHistory.ts'
import { openMongoReadStore } from './mongoReadStore.ts'

/**
 * Drops every read model and has the keys know this of the log, in place of what they knew; the connection stays open. No service is to
 * use the database meanwhile. Rejects with `unavailable`; again is then right.
 */
export async function rememberMongoEnd(
  connection: MongoConnection,
  mark: Mark | undefined,
): Promise<void> {
  const store = openMongoReadStore({ connection })
  for (const checkpoint of await store.checkpoints()) await store.drop(checkpoint)
  await seeLogAnew(connection.database, mark)
}
