/**
 * Removes tombstones a day after the projections have passed them.
 * By then no write can be so late.
 */

import { collectionsOf, type ProjectionInstance } from './instances/projectionInstance.ts'
import { alone, type Runtime } from './instances/runtime.ts'

const markEveryMs = 60 * 60 * 1_000
const keepMs = 24 * 60 * 60 * 1_000

export type Sweep = (runtime: Runtime) => Promise<void>

interface Mark {
  readonly atMs: number
  readonly positions: readonly (readonly [ProjectionInstance, number])[]
}

/** A sweep to be called often: it does something once an hour. The marks live in memory, so a restart begins the day anew. */
export function tombstoneSweep(): Sweep {
  const marks: Mark[] = []
  return async (runtime) => {
    const passedMs = runtime.elapsedMs()
    const newest = marks.at(-1)
    if (newest && passedMs - newest.atMs < markEveryMs) return
    marks.push({
      atMs: passedMs,
      positions: runtime.members.map((member) => [member, member.position]),
    })
    const oldest = marks[0]
    if (!oldest || passedMs - oldest.atMs < keepMs) return
    marks.shift()
    for (const [member, position] of oldest.positions) await sweepMember(runtime, member, position)
  }
}

async function sweepMember(
  runtime: Runtime,
  member: ProjectionInstance,
  position: number,
): Promise<void> {
  for (const collection of collectionsOf(member)) {
    await alone(runtime, member, () => runtime.readStore.sweep(collection, position))
  }
}
