/** Marks projection versions as caught up, builds their indexes and drops older versions. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { checkpointOf, type ProjectionInstance } from './instances/projectionInstance.ts'
import { alone, publish, type Runtime, waitingOut } from './instances/runtime.ts'

/** Whether the projection still has to be compared with the head of the log. */
export function isBehind(member: ProjectionInstance): boolean {
  return !member.current && member.stopped === undefined
}

/**
 * A position. An index of so many documents is made in about a second and 50 MiB, in which nothing else is written; from there on it is
 * kept. Where positions are not counted one by one it is there sooner.
 */
const indexedFrom = 500_000

/**
 * Makes the indexes of the projection's collections once it is less than a page before `head`, or so far that they would take too long
 * later. Does nothing when they are there; an outage is waited out. A runner that is stopped leaves those that it has not begun to the
 * next.
 */
export async function indexInTime(
  runtime: Runtime,
  member: ProjectionInstance,
  head = Number.POSITIVE_INFINITY,
): Promise<void> {
  const from = Math.min(indexedFrom, head - runtime.pace.pageMax)
  if (member.indexed || member.position < from) return
  await alone(runtime, member, async () => {
    const { readStore, signal } = runtime
    member.indexed = await readStore.completeIndexes(member.projection.collections, signal)
  })
}

/** Marks the projection as caught up when it has passed `head`, a head of the log asked for before its last step. */
export async function noteCaughtUp(
  runtime: Runtime,
  member: ProjectionInstance,
  head: number,
): Promise<void> {
  if (!isBehind(member)) return
  await indexInTime(runtime, member, head)
  if (!isBehind(member) || !member.indexed || member.position < head) return
  member.current = true
  if (!member.ready) await makeReady(runtime, member)
  publish(runtime)
}

async function makeReady(runtime: Runtime, member: ProjectionInstance): Promise<void> {
  await alone(runtime, member, async () => {
    await runtime.readStore.commit([], { ...checkpointOf(member), ready: true })
    member.ready = true
  })
  await dropSuperseded(runtime, member)
}

/** Drops the older versions that do not run, but the newest of them: the program may still be rolled back to it. */
async function dropSuperseded(runtime: Runtime, member: ProjectionInstance): Promise<void> {
  if (!member.ready) return
  const { name, version } = member.projection
  const older = runtime.resting
    .filter((one) => one.projection === name && one.version < version)
    .sort((a, b) => b.version - a.version)
  for (const one of older.slice(1)) {
    runtime.resting = runtime.resting.filter((other) => other !== one)
    publish(runtime)
    // Readers that have asked which version to read get to their question first.
    await nextTurn()
    await waitingOut(runtime, () => runtime.readStore.drop(one))
  }
}
