/** Renames sealing keys in MongoDB that cannot be opened any more, without deleting them. */

import { type Db, MongoServerError } from 'mongodb'
import { guardedMongo } from '../mongoErrors.ts'
import { keyCollection } from './keyDocuments.ts'
import { keyStoreCollection } from './masterKeyProof.ts'

const namespaceNotFound = 26

/** Answers the name under which the keys are kept. Throws `unavailable`; the same again is then right. */
export const setKeysAside = guardedMongo('key store')(
  async (database: Db, suffix: string): Promise<string> => {
    // the proof last: until it is gone the keys are known to be of no use
    await renameIfThere(database, keyCollection, suffix)
    await renameIfThere(database, keyStoreCollection, suffix)
    return `${keyCollection}${suffix}`
  },
)

async function renameIfThere(database: Db, name: string, suffix: string): Promise<void> {
  try {
    await database.collection(name).rename(`${name}${suffix}`)
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== namespaceNotFound) throw error
  }
}
