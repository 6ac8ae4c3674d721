/** Deletes documents that have ended, and tombstones that the projections passed a day ago. */

import { endedKeptMs } from '../../domain/lists/lists.ts'
import { pause } from '../../domain/load/pause.ts'
import type { Change, Collection, StoredDocument } from '../../stores/readStore.ts'
import { type Runtime, retryForAll, retryForOne } from './commitBatch.ts'
import { checkpointOf, collectionsOf, type ProjectionInstance } from './instances.ts'
import type { Ending } from './projection.ts'

const tombstonesKeptMs = 24 * 60 * 60 * 1_000

/** Positions that the projections had passed at a time. */
export interface SweepMark {
  readonly atMs: number
  readonly positions: readonly (readonly [ProjectionInstance, number])[]
}

/**
 * Once a day removes the tombstones up to where the projections were a day before: no write comes that late. To be called often with the
 * mark that it returned last; the mark is in memory, so a restart begins the day anew.
 */
export async function sweepTombstones(runtime: Runtime, mark?: SweepMark): Promise<SweepMark> {
  const atMs = runtime.elapsedMs()
  if (mark && atMs - mark.atMs < tombstonesKeptMs) return mark
  for (const [instance, position] of mark?.positions ?? []) {
    for (const collection of collectionsOf(instance)) {
      await retryForOne(runtime, instance, () => runtime.readStore.sweep(collection, position))
    }
  }
  return { atMs, positions: runtime.instances.map((one) => [one, one.position]) }
}

/** Documents deleted at a time. */
const stepMax = 500

/**
 * Deletes ended documents until the runner is stopped, in small steps between the batches. What had ended for a while at a time of the
 * read store's clock is deleted once the projection has passed the head that the log had then: no event that would have kept it is still
 * to come, unless it is parked, and while any is nothing is deleted.
 */
export async function removeEnded(runtime: Runtime): Promise<void> {
  const { signal, pace, eventStore, readStore } = runtime
  let mark: EndingMark | undefined
  while (!signal.aborted) {
    if (mark) await removeAsOf(runtime, mark)
    mark = await retryForAll(runtime, async () => {
      const atMs = await readStore.nowMs()
      return { atMs, head: await eventStore.head() }
    })
    await pause(pace.endingsEveryMs, signal)
  }
}

interface EndingMark {
  readonly atMs: number
  readonly head: number
}

async function removeAsOf(runtime: Runtime, { atMs, head }: EndingMark): Promise<void> {
  for (const instance of runtime.instances) {
    for (const ending of instance.projection.endings ?? []) {
      if (!mayRemove(runtime, instance, head)) continue
      await removeAll(runtime, instance, { ending, timeMs: atMs - endedKeptMs })
    }
  }
}

/** A version that has not caught up once may not have the indexes by which its documents are found. */
function mayRemove({ group }: Runtime, instance: ProjectionInstance, head: number): boolean {
  const { ready, position, parked } = instance
  return group.has(instance) && ready && position >= head && parked.count === 0
}

interface Ended {
  readonly ending: Ending
  readonly timeMs: number
}

async function removeAll(
  runtime: Runtime,
  instance: ProjectionInstance,
  ended: Ended,
): Promise<void> {
  const { signal, pace } = runtime
  for (let isMore = true; isMore && !signal.aborted && instance.stopped === undefined; ) {
    isMore = false
    const step = async (): Promise<void> => {
      isMore = await removeSome(runtime, instance, ended)
    }
    await runtime.inQueue(() => retryForOne(runtime, instance, step))
    await pause(pace.restMs, signal)
  }
}

/** Whether there is more to delete. */
async function removeSome(
  { readStore }: Runtime,
  instance: ProjectionInstance,
  { ending: { collection, field, takes }, timeMs }: Ended,
): Promise<boolean> {
  const found = await readStore.find(collection, {
    where: { [field]: { lte: timeMs } },
    sort: [field],
    limit: takes ? 1 : stepMax,
  })
  const [first] = found
  if (!first) return false
  const taken = takes?.(first.body)
  const beside = taken ? await readStore.find(taken.collection, { ...taken, limit: stepMax }) : []
  const isLast = beside.length < stepMax
  const changes = [
    ...(taken ? deletionsOf(taken.collection, beside) : []),
    ...(isLast ? deletionsOf(collection, found) : []),
  ]
  await readStore.commit(changes, checkpointOf(instance))
  return takes !== undefined || found.length === stepMax
}

/** Deletions at each document's own position: a later event finds no document, and makes another one. */
function deletionsOf(
  collection: Collection,
  documents: readonly StoredDocument[],
): readonly Change[] {
  return documents.map(({ id, position }) => ({ collection, id, position, body: null }))
}
