/** Resumes projections at their checkpoints, and stops or rebuilds those of another log. */

import { LRUCache } from 'lru-cache'
import type { EventStore } from '../../stores/eventStore.ts'
import type {
  Checkpoint,
  CheckpointWitness,
  Collection,
  ReadStore,
} from '../../stores/readStore.ts'
import {
  addParkedEvents,
  defineParkedCollection,
  listParked,
  noneParked,
  type ParkedSequences,
} from './parkedEvents.ts'
import type { Projection } from './projection.ts'
import { type Alarm, findActiveVersion, type ProjectionState } from './projectionState.ts'

/** The running state of one version of a projection. */
export interface ProjectionInstance {
  readonly projection: Projection
  readonly eventTypes: ReadonlySet<string>
  readonly parkedCollection: Collection
  /** Recurring documents that are known to exist. */
  readonly written: LRUCache<string, true>
  /** Whether its collections have their indexes, without which they are filled faster. Readers never use it before. */
  indexed: boolean
  position: number
  witness: CheckpointWitness | undefined
  /** Whether it has caught up once: readers may use it, and a poison event is parked instead of stopping it. */
  ready: boolean
  /** Whether it has reached the end of the log since it was started. */
  isLive: boolean
  parked: ParkedSequences
  /** Why it does not go on for now. */
  outage: string | undefined
  /** Why it does not go on at all. */
  stopReason: string | undefined
}

const writtenMax = 50_000

function createInstance(projection: Projection): ProjectionInstance {
  return {
    projection,
    eventTypes: new Set(projection.eventTypes),
    parkedCollection: defineParkedCollection(projection),
    written: new LRUCache({ maxSize: writtenMax, sizeCalculation: () => 1 }),
    indexed: false,
    position: 0,
    witness: undefined,
    ready: false,
    isLive: false,
    parked: noneParked,
    outage: undefined,
    stopReason: undefined,
  }
}

/** The collections of the instance's version, with that of its parked events. */
export function listInstanceCollections(instance: ProjectionInstance): readonly Collection[] {
  return [...instance.projection.collections, instance.parkedCollection]
}

/** The checkpoint of the instance's position. */
export function toCheckpoint(instance: ProjectionInstance): Checkpoint {
  const { projection, position, ready, witness } = instance
  return {
    projection: projection.name,
    version: projection.version,
    position,
    ready,
    ...(witness && { witness }),
    collections: listInstanceCollections(instance).map(({ name }) => name),
  }
}

/** `retired` are the checkpoints of versions that no longer run but may still be read. */
export function toProjectionStates(
  instances: readonly ProjectionInstance[],
  retired: readonly Checkpoint[],
): readonly ProjectionState[] {
  const projections = instances.map(({ projection }) => projection)
  const checkpoints = [...instances.map(toCheckpoint), ...retired]
  return instances.map(({ projection: { name, version }, position, parked, ...instance }) => {
    const error = instance.stopReason ?? instance.outage
    const going = instance.isLive ? 'live' : 'catching_up'
    return {
      name,
      version,
      position,
      status: error === undefined ? going : 'failing',
      parked: parked.eventCount,
      ...(parked.eventCount > 0 && { parkedAccounts: [...parked.accounts] }),
      ...findActiveVersion(name, projections, checkpoints),
      ...(error !== undefined && { error }),
    }
  })
}

export interface StartOptions {
  readonly eventStore: Pick<EventStore, 'readStream' | 'head'>
  readonly readStore: ReadStore
  readonly projections: readonly Projection[]
  /** Whether read models that were folded from another log are rebuilt, or stop. */
  readonly onOtherLog: 'rebuild' | 'refuse'
  readonly onAlarm: (alarm: Alarm) => void
}

/**
 * Prepares the collections and returns each projection at its checkpoint, and the checkpoints of versions that caught
 * up once and no longer run. Throws what the stores throw.
 */
export async function startInstances(options: StartOptions): Promise<{
  readonly instances: readonly ProjectionInstance[]
  readonly retired: readonly Checkpoint[]
}> {
  const { readStore, projections, onOtherLog } = options
  const instances = projections.map(createInstance)
  const names = new Set(projections.map(({ name }) => name))
  const stored = (await readStore.checkpoints()).filter(({ projection }) => names.has(projection))
  const foreign = await findForeignCheckpoints(options, stored)
  if (onOtherLog === 'rebuild') for (const one of foreign) await readStore.drop(one)
  await readStore.prepare(instances.flatMap(listInstanceCollections))
  for (const instance of instances) {
    const checkpoint = stored.find((one) => isCheckpointOf(one, instance))
    if (!checkpoint) continue
    if (!foreign.has(checkpoint)) await resume(instance, checkpoint, readStore)
    else if (onOtherLog === 'refuse') stopForOtherLog(instance, options)
  }
  const runs = (one: Checkpoint) => instances.some((instance) => isCheckpointOf(one, instance))
  const retired = stored.filter((one) => one.ready && !runs(one) && !foreign.has(one))
  return { instances, retired }
}

/** The checkpoints beyond the end of the log, or whose event is not in the log. */
async function findForeignCheckpoints(
  { eventStore, onOtherLog, onAlarm }: StartOptions,
  stored: readonly Checkpoint[],
): Promise<ReadonlySet<Checkpoint>> {
  const head = await eventStore.head()
  const foreign = new Set<Checkpoint>()
  for (const checkpoint of stored) {
    if (await isOfLog(checkpoint, head, eventStore)) continue
    foreign.add(checkpoint)
    if (onOtherLog === 'refuse') continue
    const { projection, version, position } = checkpoint
    const message = `projection ${projection} version ${version} was at position ${position} of another log than this one, which ends at ${head}: it is built again`
    onAlarm({ kind: 'rebuilt', projection, message })
  }
  return foreign
}

/** Whether the log still has the event at the checkpoint. */
async function isOfLog(
  { position, witness }: Checkpoint,
  head: number,
  eventStore: Pick<EventStore, 'readStream'>,
): Promise<boolean> {
  if (position > head) return false
  if (!witness) return position === 0
  const [event] = await eventStore.readStream(witness.stream, { from: witness.revision, limit: 1 })
  return event?.id === witness.id && event.position === position
}

function isCheckpointOf(
  { projection, version }: Checkpoint,
  instance: ProjectionInstance,
): boolean {
  return projection === instance.projection.name && version === instance.projection.version
}

function stopForOtherLog(instance: ProjectionInstance, { onAlarm }: StartOptions): void {
  const { name, version } = instance.projection
  instance.stopReason = `projection ${name} version ${version} was folded from another log than this one: restore the log, or drop the read models to build them again (docs/guide/read-models.md)`
  onAlarm({ kind: 'stopped', projection: name, message: instance.stopReason })
}

async function resume(
  instance: ProjectionInstance,
  { position, witness, ready }: Checkpoint,
  readStore: Pick<ReadStore, 'find'>,
): Promise<void> {
  const parked = await listParked(readStore, instance.parkedCollection)
  // a version is made ready after its indexes
  Object.assign(instance, { position, witness, ready, indexed: ready })
  instance.parked = addParkedEvents(noneParked, parked)
}
