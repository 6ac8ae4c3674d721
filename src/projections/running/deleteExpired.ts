/** Deletes expired documents, and tombstones that the projections passed a day ago. */

import { expiredEntryRetentionMs } from '../../domain/lists/lists.ts'
import { sleep } from '../../stores/backgroundLoop.ts'
import type { Change, Collection, ReadStore, StoredDocument } from '../../stores/readStore.ts'
import { type Runtime, retryWork } from './commitBatch.ts'
import type { Expiry } from './projection.ts'
import {
  listInstanceCollections,
  type ProjectionInstance,
  toCheckpoint,
} from './projectionInstances.ts'

const tombstonesKeptMs = 24 * 60 * 60 * 1_000

/** Positions that the projections had passed at a time. */
export interface SweepMark {
  readonly atMs: number
  readonly positions: readonly (readonly [ProjectionInstance, number])[]
}

/**
 * Once a day removes the tombstones up to where the projections were a day before: no write comes that late. To be
 * called often with the mark that it returned last; the mark is in memory, so a restart begins the day anew.
 */
export async function sweepTombstones(runtime: Runtime, mark?: SweepMark): Promise<SweepMark> {
  const atMs = runtime.elapsedMs()
  if (mark && atMs - mark.atMs < tombstonesKeptMs) return mark
  for (const [instance, position] of mark?.positions ?? []) {
    for (const collection of listInstanceCollections(instance)) {
      await retryWork(runtime, () => runtime.readStore.sweep(collection, position), instance)
    }
  }
  return { atMs, positions: runtime.instances.map((one) => [one, one.position]) }
}

/** Documents deleted at a time. */
const stepMax = 500

/**
 * Deletes ended documents until the runner is stopped, in small steps between the batches. What had ended for a while
 * at a time of the read store's clock is deleted once the projection has passed the head that the log had then: no
 * event that would have kept it is still to come, unless it is parked, and while any is nothing is deleted.
 */
export async function deleteExpired(runtime: Runtime): Promise<void> {
  const { signal, pace, eventStore, readStore } = runtime
  while (!signal.aborted) {
    const mark = await retryWork(runtime, async () => {
      const nowMs = await readStore.nowMs()
      return { endedMs: nowMs - expiredEntryRetentionMs, head: await eventStore.head() }
    })
    await sleep(pace.expiriesEveryMs, signal)
    if (mark) await deleteExpiredAsOf(runtime, mark)
  }
}

interface EndingMark {
  /** Documents that had ended by then are deleted. */
  readonly endedMs: number
  readonly head: number
}

async function deleteExpiredAsOf(runtime: Runtime, { endedMs, head }: EndingMark): Promise<void> {
  const { signal, pace, readStore, inQueue } = runtime
  for (const instance of runtime.instances) {
    for (const ending of instance.projection.expiries ?? []) {
      let isMore = mayDelete(runtime, instance, head)
      while (isMore && !signal.aborted) {
        const step = async () => {
          const { changes, isLast } = await findNextDeletions(readStore, ending, endedMs)
          const checkpoint = toCheckpoint(instance)
          if (changes.length > 0) await readStore.commit([{ changes, checkpoint }])
          return !isLast
        }
        isMore = (await inQueue(() => retryWork(runtime, step, instance))) ?? false
        await sleep(pace.delayMs, signal)
      }
    }
  }
}

/** A version that has not caught up once may not have the indexes by which its documents are found. */
function mayDelete({ group }: Runtime, instance: ProjectionInstance, head: number): boolean {
  const { ready, position, parked } = instance
  return group.has(instance) && ready && position >= head && parked.eventCount === 0
}

/** The next step of deletions. */
async function findNextDeletions(
  { find }: Pick<ReadStore, 'find'>,
  { collection, field, keptMs = 0, alsoDeletes }: Expiry,
  endedMs: number,
): Promise<{ readonly changes: readonly Change[]; readonly isLast: boolean }> {
  const found = await find(collection, {
    where: { [field]: { lte: endedMs - keptMs } },
    sort: [field],
    limit: alsoDeletes ? 1 : stepMax,
  })
  const [first] = found
  if (!alsoDeletes || !first) {
    return { changes: toDeletions(collection, found), isLast: found.length < stepMax }
  }
  const taken = alsoDeletes(first.body)
  const beside = await find(taken.collection, { ...taken, limit: stepMax })
  const changes = toDeletions(taken.collection, beside)
  if (beside.length === stepMax) return { changes, isLast: false }
  return { changes: [...changes, ...toDeletions(collection, found)], isLast: false }
}

/** Deletions at each document's own position: a later event finds no document, and makes another one. */
function toDeletions(
  collection: Collection,
  documents: readonly StoredDocument[],
): readonly Change[] {
  return documents.map(({ id, position }) => ({ collection, id, position, body: null }))
}
