/** Declares the running state of one version of a projection: position, outage, parked events. */

import { LRUCache } from 'lru-cache'
import type { Checkpoint, Collection, Witness } from '../../../stores/readStore.ts'
import { type ParkedSequences, parkedCollection } from '../parking/parking.ts'
import type { Projection } from '../projection.ts'

export interface ProjectionInstance {
  readonly projection: Projection
  readonly handles: ReadonlySet<string>
  readonly parkedIn: Collection
  /** Recurring documents that are known to be there. */
  readonly written: LRUCache<string, true>
  /** Whether its collections have their indexes, without which they are filled faster. Readers never use it before. */
  indexed: boolean
  position: number
  witness: Witness | undefined
  /** Whether it has caught up once: readers may use it, and a poison event is parked instead of ending it. */
  ready: boolean
  /** Whether it has reached the end of the log since it was started. */
  current: boolean
  parked: ParkedSequences
  /** Why it does not go on for now. */
  outage: string | undefined
  /** Why it does not go on at all. */
  stopped: string | undefined
}

const writtenMax = 50_000

/** An instance at the start of the log. */
export function newInstance(projection: Projection): ProjectionInstance {
  return {
    projection,
    handles: new Set(projection.handles),
    parkedIn: parkedCollection(projection),
    written: new LRUCache({ maxSize: writtenMax, sizeCalculation: () => 1 }),
    indexed: false,
    position: 0,
    witness: undefined,
    ready: false,
    current: false,
    parked: { first: new Map(), count: 0 },
    outage: undefined,
    stopped: undefined,
  }
}

/** The collections of the instance alone. */
export function collectionsOf({ projection, parkedIn }: ProjectionInstance): readonly Collection[] {
  return [...projection.collections, parkedIn]
}

/** The checkpoint of the instance's position. */
export function checkpointOf(member: ProjectionInstance): Checkpoint {
  const { projection, position, ready, witness } = member
  return {
    projection: projection.name,
    version: projection.version,
    position,
    ready,
    ...(witness ? { witness } : {}),
    collections: collectionsOf(member).map(({ name }) => name),
  }
}
