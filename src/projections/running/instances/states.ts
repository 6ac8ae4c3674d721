/** Derives the state of each projection: position, status, parked events, active version. */

import type { Checkpoint } from '../../../stores/readStore.ts'
import type { Projection } from '../projection.ts'
import type { ProjectionState } from '../projections.ts'
import type { ProjectionInstance } from './projectionInstance.ts'

/** Projections that have not been started, or could not be for the reason of `error`. */
export function statesAtRest(
  projections: readonly Projection[],
  error?: string,
): readonly ProjectionState[] {
  return projections.map(({ name, version }) => ({
    name,
    version,
    position: 0,
    status: error === undefined ? 'catching_up' : 'failing',
    parked: 0,
    active: undefined,
    ...(error === undefined ? {} : { error }),
  }))
}

/** `resting` are the checkpoints of versions that do not run but may still be read. */
export function statesOf(
  members: readonly ProjectionInstance[],
  resting: readonly Checkpoint[],
): readonly ProjectionState[] {
  return members.map((member) => {
    const error = member.stopped ?? member.outage
    return {
      name: member.projection.name,
      version: member.projection.version,
      position: member.position,
      status: statusOf(member),
      parked: member.parked.count,
      active: activeOf(member.projection.name, members, resting),
      ...(error === undefined ? {} : { error }),
    }
  })
}

function statusOf({ stopped, outage, current }: ProjectionInstance): ProjectionState['status'] {
  if (stopped !== undefined || outage !== undefined) return 'failing'
  return current ? 'live' : 'catching_up'
}

/** The newest version that has caught up once, and that this program knows or has left behind; never one yet to be written. */
function activeOf(
  name: string,
  members: readonly ProjectionInstance[],
  resting: readonly Checkpoint[],
): number | undefined {
  const own = members.filter(({ projection }) => projection.name === name)
  const newest = Math.max(...own.map(({ projection }) => projection.version))
  const ready = [
    ...own.filter((member) => member.ready).map(({ projection }) => projection.version),
    ...resting.filter(({ projection }) => projection === name).map(({ version }) => version),
  ].filter((version) => version <= newest)
  return ready.length === 0 ? undefined : Math.max(...ready)
}
