/** Reads the checkpoints of projections, and stops or rebuilds those of another log. */

import type { EventStore } from '../../../stores/eventStore.ts'
import type { Checkpoint, ReadStore } from '../../../stores/readStore.ts'
import { listParked, sequencesOf } from '../parking/parking.ts'
import type { Projection } from '../projection.ts'
import type { Alarm } from '../projections.ts'
import { collectionsOf, newInstance, type ProjectionInstance } from './projectionInstance.ts'

export interface StartOptions {
  readonly eventStore: Pick<EventStore, 'readStream' | 'head'>
  readonly readStore: Omit<ReadStore, 'under' | 'leases'>
  readonly projections: readonly Projection[]
  /** What to do when the log is not the one that the read models were folded from: build them again, or stop. */
  readonly onOtherLog: 'rebuild' | 'refuse'
  readonly onAlarm: (alarm: Alarm) => void
  /** Once it is aborted, what may take long is left to the next start. */
  readonly signal: AbortSignal
}

export interface Started {
  readonly members: readonly ProjectionInstance[]
  /** Versions that caught up once and do not run any more. */
  readonly resting: readonly Checkpoint[]
}

/** Prepares the collections and answers each projection at its checkpoint. Throws what the stores throw. */
export async function startInstances(options: StartOptions): Promise<Started> {
  const { readStore, projections } = options
  const members = projections.map(newInstance)
  const names = new Set(projections.map(({ name }) => name))
  const stored = (await readStore.checkpoints()).filter(({ projection }) => names.has(projection))
  const foreign = await foreignOf(options, stored)
  if (options.onOtherLog === 'rebuild') for (const one of foreign) await readStore.drop(one)
  await readStore.prepare(members.flatMap(collectionsOf))
  for (const member of members) {
    const checkpoint = stored.find((one) => isOf(one, member))
    if (checkpoint) await resume({ member, checkpoint, foreign, options })
  }
  const runs = (one: Checkpoint) => members.some((member) => isOf(one, member))
  const resting = stored.filter((one) => one.ready && !runs(one) && !foreign.includes(one))
  return { members, resting }
}

/** The checkpoints beyond the end of the log, or whose event is not the one that stood there. */
async function foreignOf(
  { eventStore, onAlarm, onOtherLog }: StartOptions,
  stored: readonly Checkpoint[],
): Promise<readonly Checkpoint[]> {
  const head = await eventStore.head()
  const foreign: Checkpoint[] = []
  for (const checkpoint of stored) {
    if (await isKnown(checkpoint, head, eventStore)) continue
    foreign.push(checkpoint)
    const { projection, version, position } = checkpoint
    const found = `projection ${projection} version ${version} was at position ${position} of another log than this one, which ends at ${head}`
    if (onOtherLog === 'rebuild') {
      onAlarm({ kind: 'rebuilt', projection, message: `${found}: it is built again` })
    }
  }
  return foreign
}

async function isKnown(
  { position, witness }: Checkpoint,
  head: number,
  eventStore: Pick<EventStore, 'readStream'>,
): Promise<boolean> {
  if (position > head) return false
  if (!witness) return position === 0
  const [event] = await eventStore.readStream(witness.stream, { from: witness.revision, limit: 1 })
  return event?.id === witness.id && event.position === position
}

interface Resumption {
  readonly member: ProjectionInstance
  readonly checkpoint: Checkpoint
  readonly foreign: readonly Checkpoint[]
  readonly options: StartOptions
}

async function resume({ member, checkpoint, foreign, options }: Resumption): Promise<void> {
  const { name, version } = member.projection
  if (foreign.includes(checkpoint)) {
    if (options.onOtherLog === 'rebuild') return
    member.stopped = `projection ${name} version ${version} was folded from another log than this one: restore the log, or drop the read models to build them again`
    options.onAlarm({ kind: 'stopped', projection: name, message: member.stopped })
    return
  }
  member.position = checkpoint.position
  member.witness = checkpoint.witness
  member.ready = checkpoint.ready
  // Who has caught up once has them, unless an older program did not know that they were left for later.
  const { readStore, signal } = options
  if (member.ready) {
    member.indexed = await readStore.completeIndexes(member.projection.collections, signal)
  }
  member.parked = sequencesOf(await listParked(readStore, member.parkedIn))
}

function isOf({ projection, version }: Checkpoint, member: ProjectionInstance): boolean {
  return projection === member.projection.name && version === member.projection.version
}
