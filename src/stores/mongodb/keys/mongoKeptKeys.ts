/** Copies wrapped sealing keys into MongoDB from another store, with majority write concern. */

import { Binary, type Collection, type Db } from 'mongodb'
import type { KeptKey, KeyTarget } from '../../keys/keptKeys.ts'
import { guardedMongo } from '../mongoErrors.ts'
import { destroyKeys, type KeyDocument, keyDocuments, keysOfCallMax } from './keyDocuments.ts'
import { keepProof, keptProof } from './masterKeyProof.ts'

const guard = guardedMongo('key store')

/** Nothing is asked yet. Every function rejects with `unavailable` when MongoDB does not answer. */
export function mongoKeptKeys(database: Db): KeyTarget {
  const keys = keyDocuments(database)
  return {
    after: guard(async (id: string) => {
      const next = keys.find({ _id: { $gt: id } }).sort({ _id: 1 })
      return (await next.limit(keysOfCallMax).toArray()).map(keptKeyOf)
    }),
    proof: guard(() => keptProof(database)),
    put: guard((page: readonly KeptKey[]) => putAll(keys, page)),
    finish: guard(
      async (proof: Uint8Array) => (await keptProof(database)) ?? keepProof(database, proof),
    ),
  }
}

function keptKeyOf({ _id: id, wrapped, destroyed_at }: KeyDocument): KeptKey {
  if (destroyed_at) return { id, destroyedAtMs: destroyed_at.getTime() }
  return { id, wrapped: wrapped instanceof Binary ? wrapped.value() : new Uint8Array() }
}

async function putAll(keys: Collection<KeyDocument>, page: readonly KeptKey[]): Promise<void> {
  const kept = page.filter((key) => 'wrapped' in key)
  const writes = kept.map(({ id, wrapped }) => ({
    updateOne: {
      filter: { _id: id },
      update: { $setOnInsert: { wrapped: new Binary(wrapped) } },
      upsert: true,
    },
  }))
  if (writes.length > 0) await keys.bulkWrite(writes, { ordered: false })
  const destroyed = page.filter((key) => 'destroyedAtMs' in key)
  await destroyKeys(
    keys,
    destroyed.map(({ id, destroyedAtMs: atMs }) => ({ id, atMs })),
  )
}
