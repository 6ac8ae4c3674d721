/** Adds the keys of one store to another: none that stands there is lost, none that was destroyed comes back. */

import type { MergedKeys } from '../../../stores/embedded/mergeKeys.ts'
import { type KeptKey, type KeptKeys, walkKeys } from '../../../stores/keptKeys.ts'
import type { MongoKeptKeys } from '../../../stores/mongodb/mongoKeptKeys.ts'
import type { LongWork } from '../longWork.ts'

export interface KeyMerger {
  readonly source: KeptKeys
  readonly target: MongoKeptKeys
  readonly work: LongWork
}

/** Answers what the target has besides, and what it knew to be destroyed of what the source still has. Again is right at any point. */
export async function mergeKeptKeys({ source, target, work }: KeyMerger): Promise<MergedKeys> {
  const size = await source.size()
  let done = 0
  let destroyed = 0
  for await (const page of walkKeys(source, work.signal)) {
    const standing = await target.lookUp(page.map(({ id }) => id))
    destroyed += page.filter((key) => isDestroyedSince(key, standing.get(key.id))).length
    await target.put(page)
    done += page.length
    work.onProgress('Copying keys', done, size)
  }
  return { added: await countOthers(target, source, work.signal), destroyed }
}

function isDestroyedSince(key: KeptKey, standing: KeptKey | undefined): boolean {
  return 'wrapped' in key && standing !== undefined && 'destroyedAtMs' in standing
}

/** How many keys of the target the source does not know. */
async function countOthers(
  target: KeptKeys,
  source: KeptKeys,
  signal: AbortSignal,
): Promise<number> {
  let others = 0
  for await (const page of walkKeys(target, signal)) {
    const kept = page.filter((key) => 'wrapped' in key)
    const known = await source.lookUp(kept.map(({ id }) => id))
    others += kept.length - known.size
  }
  return others
}
