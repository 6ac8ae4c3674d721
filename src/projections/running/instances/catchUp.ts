/** Catches up a projection that is far behind, beside those that follow the log together. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { indexInTime, noteCaughtUp } from '../readiness.ts'
import { pause } from '../retryOutages.ts'
import { eventBatch } from './eventBatch.ts'
import type { ProjectionInstance } from './projectionInstance.ts'
import { publish, type Runtime, stepMember, waitingOut } from './runtime.ts'

/** Runs until the projection has joined the others or has stopped, or the runner is stopped. */
export async function catchUp(runtime: Runtime, member: ProjectionInstance): Promise<void> {
  await readBeside(runtime, member)
  // Not between two batches of the others, who would wait for it.
  const head = await waitingOut(runtime, () => runtime.eventStore.head())
  if (goesOn(runtime, member)) await indexInTime(runtime, member, head)
  await readBeside(runtime, member)
  await runtime.turn(() => join(runtime, member))
}

async function readBeside(runtime: Runtime, member: ProjectionInstance): Promise<void> {
  while (goesOn(runtime, member) && member.position < runtime.together) {
    await readOn(runtime, member)

    // The others, and whoever shares this thread, come first.
    await nextTurn()
  }
}

/** Between two batches of the others, so that the member misses none: at most the one that they just had is left to read. */
async function join(runtime: Runtime, member: ProjectionInstance): Promise<void> {
  const head = await waitingOut(runtime, () => runtime.eventStore.head())
  while (goesOn(runtime, member) && member.position < runtime.together) {
    await readOn(runtime, member)
  }
  if (!goesOn(runtime, member) || head === undefined) return
  runtime.group.add(member)
  await noteCaughtUp(runtime, member, head)
}

function goesOn({ signal }: Runtime, { stopped }: ProjectionInstance): boolean {
  return !signal.aborted && stopped === undefined
}

async function readOn(runtime: Runtime, member: ProjectionInstance): Promise<void> {
  const { eventStore, pace, decode } = runtime
  const page = { after: member.position, limit: pace.pageMax }
  const events = await waitingOut(runtime, () => eventStore.readAll(page))
  if (!events) return
  if (events.length === 0) await pause(pace.backoffMs, runtime.signal)
  await stepMember(runtime, member, eventBatch(events, decode))
  publish(runtime)
}
