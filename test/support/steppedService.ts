/**
 * A service whose log and read models move a step at a time: an event is recorded, one document is written, or one
 * projection sets its checkpoint. As on MongoDB, documents are shown in any order before the checkpoint, and each
 * projection progresses by itself.
 */

import { randomBytes } from 'node:crypto'
import {
  buildService,
  openServiceContext,
  type Service,
  type ServiceContext,
} from '../../src/app/serviceContext.ts'
import { hashSecret } from '../../src/auth/apiToken.ts'
import { openBackground } from '../../src/commands/handling/background.ts'
import { decode } from '../../src/events/catalogue.ts'
import { allProjections } from '../../src/projections/allProjections.ts'
import { createEventBatch, foldBatch } from '../../src/projections/running/foldBatch.ts'
import {
  type ProjectionInstance,
  startInstances,
  toCheckpoint,
  toProjectionStates,
} from '../../src/projections/running/projectionInstances.ts'
import type { SharedProjections } from '../../src/projections/running/projectionState.ts'
import { trackProgress } from '../../src/projections/running/trackProgress.ts'
import type { RecordedEvent } from '../../src/stores/eventStore.ts'
import type { PooledKeyring } from '../../src/stores/keys/keyring.ts'
import type { Change, ReadStore } from '../../src/stores/readStore.ts'
import { memoryReadStore } from '../projections/memoryReadStore.ts'
import { type MemoryEventStore, memoryEventStore } from './memoryEventStore.ts'
import { operatorToken } from './openVigil.ts'

/** A number from 0 and less than 1. */
export type Draw = () => number

export interface SteppedService {
  readonly service: Service
  readonly context: ServiceContext
  readonly store: MemoryEventStore
  /** Takes a step, if there is any to take. */
  readonly step: (draw: Draw) => Promise<void>
  /** Every event is recorded and in every read model. */
  readonly isDone: () => boolean
  /** Projects everything that is recorded. */
  readonly catchUp: () => Promise<void>
}

interface SteppedOptions {
  readonly keyring: PooledKeyring
  readonly clock: { readonly nowMs: () => number }
  /** What is recorded at the beginning. */
  readonly recorded: RecordedEvent[]
  /** What will be. */
  readonly coming?: readonly RecordedEvent[]
  /** Awaited before each read of a document that answers a question. */
  readonly beforeRead?: (world: SteppedService) => Promise<void>
}

/** What a projection has folded and not shown yet. */
interface Folded {
  readonly changes: Change[]
  readonly last: RecordedEvent
}

/** Events of a batch of a projection, and events that are recorded in a row, at the most. */
const batchMax = 80
const burstMax = 60

export async function openSteppedService(options: SteppedOptions): Promise<SteppedService> {
  const { keyring, clock, recorded, coming = [], beforeRead = async () => undefined } = options
  const store = memoryEventStore(recorded)
  const readStore = memoryReadStore()
  const { instances } = await startInstances({
    ...{ eventStore: store, readStore, projections: allProjections },
    ...{ onOtherLog: 'refuse', onAlarm: () => undefined },
  })
  const progress = trackProgress([], () => undefined)
  const folded = new Map<ProjectionInstance, Folded>()
  const tell = () => progress.update(toProjectionStates(instances, []))
  for (const instance of instances) Object.assign(instance, { ready: true, isLive: true })
  tell()

  const fold = async (instance: ProjectionInstance, count: number): Promise<void> => {
    const events = recorded.filter(({ position }) => position > instance.position).slice(0, count)
    const last = events.at(-1)
    if (!last) return
    const { changes } = await foldBatch(instance, createEventBatch(events, decode), readStore)
    folded.set(instance, { changes: [...changes], last })
  }
  const show = async (instance: ProjectionInstance, changes: Change[]): Promise<void> => {
    await readStore.commit([{ changes, checkpoint: toCheckpoint(instance) }])
  }
  const pass = (instance: ProjectionInstance, { position, ...at }: RecordedEvent): void => {
    const witness = { stream: at.stream, revision: at.revision, id: at.id }
    Object.assign(instance, { position, witness })
    folded.delete(instance)
    tell()
  }
  const advance = async (instance: ProjectionInstance, draw: Draw): Promise<void> => {
    const begun = folded.get(instance)
    if (!begun) return fold(instance, 1 + Math.floor(draw() * batchMax))
    const { changes, last } = begun
    if (changes.length === 0) return pass(instance, last)
    await show(instance, changes.splice(Math.floor(draw() * changes.length), 1))
  }
  const isBehind = ({ position }: ProjectionInstance) => position < (recorded.at(-1)?.position ?? 0)

  const world: SteppedService = {
    store,
    isDone: () => recorded.length >= coming.length && !instances.some(isBehind),
    step: async (draw) => {
      const behind = instances.filter(isBehind)
      if (behind.length === 0 || draw() < 0.02) {
        const burst = 1 + Math.floor(draw() * burstMax)
        recorded.push(...coming.slice(recorded.length, recorded.length + burst))
      }
      const one = behind[Math.floor(draw() * behind.length)]
      if (one) await advance(one, draw)
    },
    catchUp: async () => {
      for (const instance of instances) {
        const begun = folded.get(instance)
        if (begun) {
          await show(instance, begun.changes)
          pass(instance, begun.last)
        }
        await fold(instance, recorded.length)
        const rest = folded.get(instance)
        if (!rest) continue
        await show(instance, rest.changes)
        pass(instance, rest.last)
      }
    },
    ...openContext(),
  }
  return world

  function openContext() {
    const documents: ReadStore = {
      ...readStore,
      get: async (...asked) => {
        await beforeRead(world)
        return readStore.get(...asked)
      },
      find: async (...asked) => {
        await beforeRead(world)
        return readStore.find(...asked)
      },
      load: async (...asked) => {
        await beforeRead(world)
        return readStore.load(...asked)
      },
    }
    const projections = {
      ...progress,
      leaseStatus: () => ({ isOwner: true, fence: 1, isRunning: true }),
    } as unknown as SharedProjections
    const context = openServiceContext({
      ...{ events: store, documents, keyring, projections, clock },
      random: { bytes: (count) => randomBytes(count) },
      background: openBackground(() => undefined),
      operatorTokenHash: hashSecret(operatorToken),
    })
    return { context, service: buildService(context, async () => undefined) }
  }
}

/** Draws of a seed (mulberry32). */
export function drawOf(seed: number): Draw {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
