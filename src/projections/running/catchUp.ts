/** Catches up a projection that is far behind, and activates a version that caught up. */

import { setImmediate as nextTick } from 'node:timers/promises'
import { sleep } from '../../stores/backgroundLoop.ts'
import { commitBatch, publishStates, type Runtime, retryWork } from './commitBatch.ts'
import { createEventBatch } from './foldBatch.ts'
import { type ProjectionInstance, toCheckpoint } from './projectionInstances.ts'

/** Runs until the projection has joined the group or has stopped, or the runner is stopped. */
export async function catchUp(runtime: Runtime, instance: ProjectionInstance): Promise<void> {
  await readToGroup(runtime, instance)
  // outside the queue, in which the group would wait for it
  const before = await retryWork(runtime, () => runtime.eventStore.head())
  if (goesOn(runtime, instance)) await indexInTime(runtime, instance, before)
  await readToGroup(runtime, instance)
  // between two batches of the group, so that it misses none: at most the last batch is left to read
  await runtime.inQueue(async () => {
    const head = await retryWork(runtime, () => runtime.eventStore.head())
    await readToGroup(runtime, instance)
    if (!goesOn(runtime, instance) || head === undefined) return
    runtime.group.add(instance)
    await markIfCaughtUp(runtime, instance, head)
  })
}

async function readToGroup(runtime: Runtime, instance: ProjectionInstance): Promise<void> {
  const { eventStore, pace, decode, signal } = runtime
  while (goesOn(runtime, instance) && instance.position < runtime.groupPosition) {
    const page = { after: instance.position, limit: pace.pageMax }
    const events = await retryWork(runtime, () => eventStore.readAll(page))
    if (events?.length === 0) await sleep(pace.backoffMs, signal)
    if (events) await commitBatch(runtime, [instance], createEventBatch(events, decode))
    publishStates(runtime)
    // other work of this thread comes first
    await nextTick()
  }
}

function goesOn({ signal }: Runtime, { stopReason }: ProjectionInstance): boolean {
  return !signal.aborted && stopReason === undefined
}

/** Whether the projection still has to be compared with the head of the log. */
export function isBehind(instance: ProjectionInstance): boolean {
  return !instance.isLive && instance.stopReason === undefined
}

/** Marks the projection as caught up when it has passed `head`, a head of the log read before its last batch. */
export async function markIfCaughtUp(
  runtime: Runtime,
  instance: ProjectionInstance,
  head: number,
): Promise<void> {
  if (!isBehind(instance)) return
  await indexInTime(runtime, instance, head)
  if (!isBehind(instance) || !instance.indexed || instance.position < head) return
  instance.isLive = true
  if (!instance.ready) {
    const ready = { ...toCheckpoint(instance), ready: true }
    const activate = async (): Promise<void> => {
      await runtime.readStore.commit([], ready)
      instance.ready = true
    }
    await retryWork(runtime, activate, instance)
    if (instance.ready) await dropSuperseded(runtime, instance)
  }
  publishStates(runtime)
}

/**
 * A position. An index of so many documents takes about a second and 50 MiB, in which nothing else is written; from there on it is
 * maintained. Where positions are not dense it is reached sooner.
 */
const indexedFrom = 500_000

/**
 * Makes the indexes of the projection's collections once it is less than a page before `head`, or so far that they would take too long
 * later. Once the runner is stopped no index is begun any more; the next start makes them.
 */
async function indexInTime(
  runtime: Runtime,
  instance: ProjectionInstance,
  head = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { readStore, signal, pace } = runtime
  const from = Math.min(indexedFrom, head - pace.pageMax)
  if (instance.indexed || instance.position < from) return
  const { collections } = instance.projection
  const complete = () => readStore.completeIndexes(collections, signal)
  instance.indexed = (await retryWork(runtime, complete, instance)) ?? false
}

/** Drops the older versions but the newest of them: the program may still be rolled back to it. */
async function dropSuperseded(runtime: Runtime, instance: ProjectionInstance): Promise<void> {
  const { name, version } = instance.projection
  const older = runtime.retired
    .filter((one) => one.projection === name && one.version < version)
    .sort((a, b) => b.version - a.version)
  for (const one of older.slice(1)) {
    runtime.retired = runtime.retired.filter((other) => other !== one)
    publishStates(runtime)
    // a reader that has just read the active version still finds its collections
    await nextTick()
    await retryWork(runtime, () => runtime.readStore.drop(one))
  }
}
