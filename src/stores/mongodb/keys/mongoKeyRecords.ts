/** Copies wrapped keys into MongoDB, detects lost keys, and renames unusable collections. */

import { Binary, type Collection, type Db } from 'mongodb'
import { findMasterKeyLoss, type KeyLoss, type KeysToInspect } from '../../keys/keyLoss.ts'
import type { KeyRecord, KeyTarget } from '../../keys/keyRecords.ts'
import { ignoreMissing } from '../collections.ts'
import { mapMongoErrors } from '../mongoErrors.ts'
import {
  destroyKeys,
  type KeyDocument,
  keepProof,
  keyCollection,
  keyStoreCollection,
  keysName,
  keysOfCallMax,
  openKeyDocuments,
  storedProof,
} from './keyDocuments.ts'

const guard = mapMongoErrors('key store')

/** The keys of a database; nothing is sent yet. Every function rejects with `unavailable` when MongoDB does not answer. */
export function openMongoKeyRecords(database: Db): KeyTarget {
  const keys = openKeyDocuments(database)
  return {
    after: guard(async (id: string) => {
      const next = keys.find({ _id: { $gt: id } }).sort({ _id: 1 })
      return (await next.limit(keysOfCallMax).toArray()).map(keyRecordOf)
    }),
    proof: guard(() => storedProof(database)),
    put: guard((page: readonly KeyRecord[]) => putAll(keys, page)),
    finish: guard((proof: Uint8Array) => keepProof(database, proof)),
  }
}

function keyRecordOf({ _id: id, wrapped, destroyed_at }: KeyDocument): KeyRecord {
  if (destroyed_at) return { id, destroyedAtMs: destroyed_at.getTime() }
  return { id, wrapped: wrapped instanceof Binary ? wrapped.value() : new Uint8Array() }
}

async function putAll(keys: Collection<KeyDocument>, page: readonly KeyRecord[]): Promise<void> {
  const present = page.filter((key) => 'wrapped' in key)
  const writes = present.map(({ id, wrapped }) => ({
    updateOne: {
      filter: { _id: id },
      update: { $setOnInsert: { wrapped: new Binary(wrapped) } },
      upsert: true,
    },
  }))
  if (writes.length > 0) await keys.bulkWrite(writes, { ordered: false })
  const destroyed = page.filter((key) => 'destroyedAtMs' in key)
  await destroyKeys(keys, destroyed)
}

/** Inspects without writing whether keys were lost: the first loss found, or undefined. Throws `unavailable` when MongoDB does not answer. */
export const inspectMongoKeys = guard(
  async (database: Db, { masterKey, isLogInUse }: KeysToInspect): Promise<KeyLoss | undefined> => {
    const name = keysName(database)
    const proof = await storedProof(database)
    if (proof) {
      return findMasterKeyLoss(proof, masterKey, {
        ofNone: `${name}: VIGIL_MASTER_KEY is not set and this data folder has no master.key, and they were made under another instance's`,
        ofOther: `${name}: they were made under another master key than this one (VIGIL_MASTER_KEY, else master.key), which must be the same for every instance`,
      })
    }
    if (!isLogInUse) return undefined
    const text = `${name}: there are none, and with them the keys of all personal data in the log are gone`
    return { reason: 'gone', isUnusable: false, text }
  },
)

/** Renames keys that cannot be opened any more; returns their new name. Throws `unavailable`; repeating it is then right. */
export const setKeysAside = guard(async (database: Db, suffix: string): Promise<string> => {
  // the proof last: until it is gone the keys are known to be useless
  for (const name of [keyCollection, keyStoreCollection]) {
    await ignoreMissing(() => database.collection(name).rename(`${name}${suffix}`))
  }
  return `${keyCollection}${suffix}`
})
