/** Stores and checks the proof of the master key in MongoDB: every instance must use the same key. */

import { timingSafeEqual } from 'node:crypto'
import { Binary, type Db } from 'mongodb'
import { masterKeyProof } from '../../keys/keyWrapping.ts'
import { isDuplicate } from '../mongoErrors.ts'

interface ProofDocument {
  readonly _id: 'master_key'
  readonly proof: Binary
}

/** The collection of data about the keys as a whole. */
export const keyStoreCollection = 'key_store'

const id = 'master_key'

/** The first to open the store leaves the proof. Throws an `Error` for an operator unless it is of the same master key. */
export async function proveMasterKey(database: Db, masterKey: Uint8Array): Promise<void> {
  const kept = (await keptProof(database)) ?? (await keepProof(database, masterKeyProof(masterKey)))
  if (kept && isProofOf(masterKey, kept)) return
  throw new Error(
    `Cannot use the sealing keys in MongoDB, database ${database.databaseName}: they were made under another master key; start with that one (VIGIL_MASTER_KEY), the same for every instance.`,
  )
}

/** The proof that is kept; undefined before the first time. */
export async function keptProof(database: Db): Promise<Uint8Array | undefined> {
  const found = await documentsIn(database).findOne({ _id: id }, { readConcern: 'majority' })
  return found?.proof.value()
}

/** Whether the proof was made with this master key. */
export function isProofOf(masterKey: Uint8Array, kept: Uint8Array): boolean {
  const proof = masterKeyProof(masterKey)
  return kept.length === proof.length && timingSafeEqual(kept, proof)
}

/** Stores the proof unless another instance was faster; returns the stored one. */
export async function keepProof(database: Db, proof: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    await documentsIn(database).insertOne({ _id: id, proof: new Binary(proof) })
  } catch (error) {
    if (!isDuplicate(error)) throw error
  }
  return keptProof(database)
}

function documentsIn(database: Db) {
  return database.collection<ProofDocument>(keyStoreCollection, {
    writeConcern: { w: 'majority', j: true, wtimeoutMS: 5_000 },
  })
}
