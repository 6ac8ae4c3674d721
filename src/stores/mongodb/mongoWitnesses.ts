/** Reads from the read models in MongoDB how far the log had come, and drops all read models. */

import type { Db } from 'mongodb'
import type { LogWitness } from '../embedded/witnesses.ts'
import type { MongoConnection } from './mongoConnection.ts'
import { guardedMongo } from './mongoErrors.ts'
import { openMongoReadStore } from './mongoReadStore.ts'
import { checkpointsOf, readModelStates } from './readModelState.ts'

/** What the read models have seen of the log. Throws `unavailable` when MongoDB does not answer. */
export const readMongoWitnesses = guardedMongo('read store')(
  async (database: Db): Promise<readonly LogWitness[]> => {
    const checkpoints = checkpointsOf(await readModelStates(database).read())
    // several projections stand at the same event: it is told once
    const ids = new Map(
      checkpoints.flatMap(({ position, witness }) => (witness ? [[position, witness.id]] : [])),
    )
    return [...ids].map(([position, id]) => ({ by: 'the read models in MongoDB', position, id }))
  },
)

/**
 * Drops every read model, so that they are made anew: of a log that has lost something. No service is to use the database meanwhile; the
 * connection stays open. Rejects with `unavailable`; again is then right.
 */
export async function dropReadModels(connection: MongoConnection): Promise<void> {
  const store = openMongoReadStore({ connection })
  for (const checkpoint of await store.checkpoints()) await store.drop(checkpoint)
}
