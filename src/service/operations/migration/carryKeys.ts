/** Carries the sealing keys of a folder into a MongoDB that has some of them, or none, and compares both from end to end. */

import {
  isSameKey,
  type KeptKey,
  type KeptKeys,
  type KeyDigest,
  keyDigest,
  walkKeys,
} from '../../../stores/keptKeys.ts'
import type { MongoKeptKeys } from '../../../stores/mongodb/mongoKeptKeys.ts'
import type { LongWork } from '../longWork.ts'

export interface KeyCarriage {
  readonly source: KeptKeys
  readonly target: MongoKeptKeys
  readonly work: LongWork
}

/**
 * Keys that are there already stay as they are, so that the same again is right at any point. Throws an `Error` that says what to do when the target has other
 * keys: nothing was written when it has them at the beginning.
 */
export async function carryKeys(carriage: KeyCarriage): Promise<KeyDigest> {
  await refuseOtherKeys(carriage)
  await copyAll(carriage)
  const digest = await compareAll(carriage)
  await finish(carriage)
  return digest
}

async function refuseOtherKeys({ source, target, work }: KeyCarriage): Promise<void> {
  const [proof, kept] = [await source.proof(), await target.proof()]
  if (kept && !(proof && Buffer.from(kept).equals(proof))) throw otherKeys()
  for await (const page of walkKeys(target, work.signal)) {
    const known = await source.lookUp(page.map(({ id }) => id))
    if (!page.every((key) => isOf(known.get(key.id), key))) throw otherKeys()
  }
}

/** Whether a key of the target is one of the source; the source may have destroyed it since. */
function isOf(known: KeptKey | undefined, key: KeptKey): boolean {
  if (!known) return false
  return isSameKey(known, key) || ('destroyedAtMs' in known && 'wrapped' in key)
}

async function copyAll({ source, target, work }: KeyCarriage): Promise<void> {
  const size = await source.size()
  let done = 0
  for await (const page of walkKeys(source, work.signal)) {
    await target.put(page)
    done += page.length
    work.onProgress('Copying keys', done, size)
  }
}

/** Throws an `Error` that names the first difference. */
async function compareAll({ source, target, work }: KeyCarriage): Promise<KeyDigest> {
  const size = await source.size()
  const theirs = eachOf(walkKeys(target, work.signal))
  const [ofSource, ofTarget] = [keyDigest(), keyDigest()]
  let done = 0
  for await (const key of eachOf(walkKeys(source, work.signal))) {
    const { value: other } = await theirs.next()
    if (!other || !isSameKey(key, other)) throw different(`the key ${key.id} is another there`)
    ofSource.add(key)
    ofTarget.add(other)
    if (done % reportEvery === 0) work.onProgress('Comparing keys', done, size)
    done += 1
  }
  const more = await theirs.next()
  if (!more.done) throw different(`it has the key ${more.value.id} besides`)
  const [digest, other] = [ofSource.end(), ofTarget.end()]
  if (other.digest !== digest.digest) throw different('its digest is another')
  return digest
}

const reportEvery = 1_000

async function* eachOf(
  pages: AsyncIterable<readonly KeptKey[]>,
): AsyncGenerator<KeptKey, undefined, undefined> {
  for await (const page of pages) yield* page
  return undefined
}

/** Until it is done no instance takes the keys there for those of the log. */
async function finish({ source, target }: KeyCarriage): Promise<void> {
  const proof = await source.proof()
  if (!proof) throw new Error('The sealing keys of the folder were never in use.')
  const kept = await target.finish(proof)
  if (!kept || !Buffer.from(kept).equals(proof))
    throw different('another Vigil keeps its own there')
}

function otherKeys(): Error {
  return new Error(
    'The database that MONGODB_URL names holds other sealing keys than this folder: name one that is empty, or that an earlier vigil migrate of this folder was interrupted on. Nothing was written.',
  )
}

function different(what: string): Error {
  return new Error(
    `The database that MONGODB_URL names does not have the sealing keys that the folder has: ${what}. Nothing in the folder was changed; begin again with an empty database.`,
  )
}
