/** Inspects the sealing keys in MongoDB without writing, to detect lost keys at start. */

import type { Db } from 'mongodb'
import type { KeyLoss, KeysToInspect } from '../../embedded/inspectStores.ts'
import { guardedMongo } from '../mongoErrors.ts'
import { keyPlace } from './keyDocuments.ts'
import { isProofOf, keptProof } from './masterKeyProof.ts'

/** The first loss found, or undefined. Throws `unavailable` when MongoDB does not answer. */
export const inspectMongoKeys = guardedMongo('key store')(
  async (database: Db, expected: KeysToInspect): Promise<KeyLoss | undefined> => {
    const proof = await keptProof(database)
    if (!proof) return lostWithout(database, expected)
    return masterKeyLoss(database, proof, expected)
  },
)

/** Keys are made before the first event; a process killed at its first start has neither. */
function lostWithout(database: Db, { logInUse }: KeysToInspect): KeyLoss | undefined {
  if (!logInUse) return undefined
  return {
    reason: 'gone',
    useless: false,
    text: `${keyPlace(database)}: there are none, and with them the keys of all personal data in the log are gone`,
  }
}

function masterKeyLoss(
  database: Db,
  proof: Uint8Array,
  { masterKey }: KeysToInspect,
): KeyLoss | undefined {
  const place = keyPlace(database)
  if (!masterKey) {
    const text = `${place}: VIGIL_MASTER_KEY is not set and this data folder has no master.key, and they were made under another instance's`
    return { reason: 'no_master_key', useless: true, text }
  }
  if (isProofOf(masterKey, proof)) return undefined
  const text = `${place}: they were made under another master key than this one (VIGIL_MASTER_KEY, else master.key), which must be the same for every instance`
  return { reason: 'other_master_key', useless: true, text }
}
