/** Two whole services on one log, each with a memory of its own, in one process. */

import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { followStreams, listStreamCaches } from '../../src/app/followCachedStreams.ts'
import {
  buildService,
  openServiceContext,
  type Service,
  type ServiceContext,
} from '../../src/app/serviceContext.ts'
import { hashSecret } from '../../src/auth/apiToken.ts'
import { openBackground } from '../../src/commands/handling/background.ts'
import { installManagedSet } from '../../src/commands/rulebook/managed/installManagedSet.ts'
import { decode } from '../../src/events/catalogue.ts'
import { allProjections } from '../../src/projections/allProjections.ts'
import { otherOwnerStatus } from '../../src/projections/running/projectionState.ts'
import type { RunnerOptions } from '../../src/projections/running/runner.ts'
import {
  leaseTimes,
  type ShareOptions,
  shareProjections,
} from '../../src/projections/running/shareProjections.ts'
import { openEmbeddedEventStore } from '../../src/stores/embedded/embeddedEventStore.ts'
import type { EventStore } from '../../src/stores/eventStore.ts'
import type { SharedKeyStore } from '../../src/stores/keyStore.ts'
import { followKeyDestructions } from '../../src/stores/keys/followKeyDestructions.ts'
import { openKeyring, type PooledKeyring } from '../../src/stores/keys/keyring.ts'
import type { SharedReadStore } from '../../src/stores/readStore.ts'
import { type Door, openDoor } from '../http/support/openDoor.ts'
import { memoryDisk, memoryReadStore } from '../projections/memoryReadStore.ts'
import { eventually } from './eventually.ts'
import { type FreezableStore, freezableStore } from './freezableStore.ts'
import { memoryKeyStore } from './memoryKeyStore.ts'
import { operatorToken } from './openVigil.ts'

export interface Instance {
  readonly door: Door
  readonly service: Service
  readonly context: ServiceContext
  readonly keyring: PooledKeyring
  /** What it has asked the log for streams that it holds or wants to hold. */
  readonly reads: () => number
  /** What it could not follow, or do in the background, and what the operator was told of its projections. */
  readonly faults: readonly unknown[]
  /**
   * Stops and continues its projections, as SIGSTOP and SIGCONT do: they wake with a batch in hand, believing that they
   * have the lease.
   */
  readonly projecting: Omit<FreezableStore, 'store'>
}

export interface TwoInstances {
  /** The one that runs the projections at first. */
  readonly a: Instance
  /** The other one. */
  readonly b: Instance
  /** Moves the clock of the leases, which otherwise stands still. */
  readonly pass: (ms: number) => void
  /** Moves the clock of a deaf B, which otherwise stands still. */
  readonly ageB: (ms: number) => void
}

type DoorOptions = Parameters<typeof openDoor>[1]

interface TwoOptions {
  /** B believes that it hears everything, and hears nothing: what it gets right, it gets right by asking the log. */
  readonly deaf?: boolean
  /** Of the doors of both. */
  readonly door?: DoorOptions
  /** The clock of both, unless B is deaf; the machine's unless given. */
  readonly nowMs?: () => number
  /** How much later the clock of B is. */
  readonly laterMs?: number
  /** Their log in a folder and read models in memory unless given. */
  readonly stores?: OpenStores
  /** What the projections follow in the place of the log. */
  readonly projected?: (events: EventStore) => EventStore
}

/** Opens log and read models, whose leases go by the clock. */
type OpenStores = (
  folder: string,
  nowMs: () => number,
) => Promise<{ readonly events: EventStore; readonly readStore: SharedReadStore }>

/** What instances share. */
interface SharedStores {
  readonly folder: string
  readonly events: EventStore
  /** As the projections follow it. */
  readonly projected: EventStore
  readonly readStore: SharedReadStore
  readonly keyStore: SharedKeyStore
  readonly masterKey: Uint8Array
  readonly door: DoorOptions
  /** Of the leases. */
  readonly nowMs: () => number
  readonly pass: TwoInstances['pass']
  readonly closers: (() => Promise<void>)[]
}

interface Own {
  readonly owner: string
  readonly events: EventStore
  readonly clock: { readonly nowMs: () => number }
}

type Projecting = Pick<RunnerOptions, 'projections' | 'decode'>

const random = { bytes: (count: number) => randomBytes(count) }

/** Opens both; they are closed when the test is over. */
export async function openTwoInstances({
  deaf = false,
  door = {},
  nowMs = Date.now,
  laterMs = 0,
  ...stores
}: TwoOptions = {}): Promise<TwoInstances> {
  const shared = await openSharedStores({ door, ...stores })
  const { events, pass } = shared
  let deafMs = Date.now()
  const a = await openInstance(shared, { owner: 'a', events, clock: { nowMs } })
  await eventually(() => a.context.projections.leaseStatus().isOwner)
  const b = deaf
    ? await openInstance(shared, {
        owner: 'b',
        events: { ...events, followStreams: hearsNothing },
        clock: { nowMs: () => deafMs },
      })
    : await openInstance(shared, {
        ...{ owner: 'b', events },
        clock: { nowMs: () => nowMs() + laterMs },
      })
  return {
    a,
    b,
    pass,
    ageB: (ms) => {
      deafMs += ms
    },
  }
}

/** The stores of a new folder; they and what is opened on them are closed when the test is over. */
export async function openSharedStores({
  door = {},
  stores = openOwnStores,
  projected,
}: Pick<TwoOptions, 'door' | 'stores' | 'projected'> = {}): Promise<SharedStores> {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-'))
  const closers: (() => Promise<void>)[] = []
  onTestFinished(async () => {
    for (const close of closers.reverse()) await close()
    rmSync(folder, { recursive: true, force: true })
  })
  let leaseMs = 1_000_000
  const nowMs = () => leaseMs
  const { events, readStore } = await stores(folder, nowMs)
  closers.push(readStore.close, events.close)
  return {
    ...{ folder, events, readStore, keyStore: memoryKeyStore(), masterKey: randomBytes(32) },
    ...{ projected: projected?.(events) ?? events, door, nowMs, closers },
    pass: (ms) => {
      leaseMs += ms
    },
  }
}

const openOwnStores: OpenStores = async (folder, nowMs) => ({
  events: await openEmbeddedEventStore({ folder }),
  readStore: memoryReadStore(memoryDisk(), undefined, nowMs),
})

/** A service over all read models unless given. */
export async function openInstance(
  shared: SharedStores,
  own: Own,
  projecting: Projecting = { projections: allProjections, decode },
): Promise<Instance> {
  const { readStore, closers, keyStore, masterKey } = shared
  const faults: unknown[] = []
  const onFault = (fault: unknown) => faults.push(fault)
  const { projections, gate } = openProjections(shared, {
    ...{ ...projecting, owner: own.owner },
    onAlarm: ({ message }) => onFault(message),
  })
  const keyring = await openKeyring({ store: keyStore, masterKey, random })
  closers.push(keyring.close)
  const forgetting = followKeyDestructions({ store: keyStore, keyring, clock: own.clock, onFault })
  closers.push(forgetting.close)
  const background = openBackground(onFault)
  closers.push(background.settled)
  const counting = countingReads(own.events)
  const context = openServiceContext({
    ...{ events: counting.events, documents: readStore, keyring, projections, clock: own.clock },
    ...{ random, background, operatorTokenHash: hashSecret(operatorToken) },
  })
  const following = await followStreams({
    ...{ events: context.events, clock: own.clock, followed: context.followed, onFault },
    caches: listStreamCaches(context),
  })
  closers.push(following.close)
  await installManagedSet(context)
  const service = buildService(context, async () => undefined)
  const door = await openDoor(service, shared.door)
  closers.push(door.close)
  return { door, service, context, keyring, faults, reads: counting.reads, projecting: gate }
}

function openProjections(
  { projected, readStore, nowMs, closers }: SharedStores,
  own: Projecting & Pick<ShareOptions, 'owner' | 'onAlarm'>,
) {
  const gate = freezableStore(readStore)
  let leaseStatus = otherOwnerStatus
  const shared = shareProjections({
    ...own,
    eventStore: projected,
    readStore: gate.store,
    onOtherLog: 'rebuild',
    nowMs,
    newId: randomUUID,
    onProgress: () => undefined,
    onLeaseStatus: (now) => {
      leaseStatus = now
    },
    times: { ...leaseTimes, renewEveryMs: 10, askEveryMs: 10 },
    everyMs: 10,
  })
  const projections = { ...shared, leaseStatus: () => leaseStatus }
  closers.push(async () => {
    gate.thaw()
    await projections.close()
  })
  return { projections, gate }
}

function countingReads(events: EventStore) {
  let reads = 0
  const counting: EventStore = {
    ...events,
    readNewEvents: (stream, page) => {
      reads += 1
      return events.readNewEvents(stream, page)
    },
  }
  return { events: counting, reads: () => reads }
}

async function* hearsNothing(
  ...[, , signal]: Parameters<EventStore['followStreams']>
): ReturnType<EventStore['followStreams']> extends AsyncIterable<infer One>
  ? AsyncGenerator<One>
  : never {
  if (!signal.aborted) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  }
}
