/** When a version has caught up, readers switch to it, and versions that nobody can need any more go. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { checkpointOf, type Member } from './member.ts'
import { alone, publish, type Runtime, waitingOut } from './runtime.ts'

/** Whether the member still has to be compared with the head of the log. */
export function isBehind(member: Member): boolean {
  return !member.current && member.stopped === undefined
}

/** Marks the member as caught up when it has passed `head`, a head of the log asked for before its last step. */
export async function noteCaughtUp(runtime: Runtime, member: Member, head: number): Promise<void> {
  if (!isBehind(member) || member.position < head) return
  member.current = true
  if (!member.ready) await makeReady(runtime, member)
  publish(runtime)
}

async function makeReady(runtime: Runtime, member: Member): Promise<void> {
  await alone(runtime, member, async () => {
    await runtime.readStore.commit([], { ...checkpointOf(member), ready: true })
    member.ready = true
  })
  await dropSuperseded(runtime, member)
}

/** Drops the older versions that do not run, but the newest of them: the program may still be rolled back to it. */
async function dropSuperseded(runtime: Runtime, member: Member): Promise<void> {
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
