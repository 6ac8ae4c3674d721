/** What MongoDB proves of the log: how far it had come when read models and keys were last written. */

import type { Db } from 'mongodb'
import type { LogWitness } from '../embedded/logWitnesses.ts'
import { keysSeenOfLog } from './mongoKeyHistory.ts'
import { guardedMongo } from './mongoTrouble.ts'
import { checkpointsOf, readModelStates } from './readModelState.ts'

/** Every witness that the database has. Throws `unavailable` when MongoDB does not answer. */
export const readMongoWitnesses = guardedMongo('read store')(
  async (database: Db): Promise<readonly LogWitness[]> => [
    ...(await ofReadModels(database)),
    ...(await ofKeys(database)),
  ],
)

/** Several projections stand at the same event: it is told once. */
async function ofReadModels(database: Db): Promise<readonly LogWitness[]> {
  const checkpoints = checkpointsOf(await readModelStates(database).read())
  const ids = new Map(
    checkpoints.flatMap(({ position, witness }) => (witness ? [[position, witness.id]] : [])),
  )
  return [...ids].map(([position, id]) => ({ by: 'the read models in MongoDB', position, id }))
}

async function ofKeys(database: Db): Promise<readonly LogWitness[]> {
  const seen = await keysSeenOfLog(database)
  return seen ? [{ by: 'the sealing keys in MongoDB', ...seen }] : []
}
