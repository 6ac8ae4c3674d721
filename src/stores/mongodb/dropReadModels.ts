/** Drops every read model in MongoDB, so that they are made anew: of a log that has lost something, or moves to a server. */

import type { MongoConnection } from './mongoConnection.ts'
import { openMongoReadStore } from './mongoReadStore.ts'

/** No service is to use the database meanwhile; the connection stays open. Rejects with `unavailable`; again is then right. */
export async function dropReadModels(connection: MongoConnection): Promise<void> {
  const store = openMongoReadStore({ connection })
  for (const checkpoint of await store.checkpoints()) await store.drop(checkpoint)
}
