/** Checks readiness: stores answer and take writes, read models keep up (design 6). */

import type { Role } from '../../domain/role.ts'
import type { DamagedStore } from '../../metrics/damageMeter.ts'
import type {
  Holding,
  ProjectionState,
  SharedProjections,
} from '../../projections/running/projections.ts'
import type { OpenKeyring } from '../../stores/keys/keyring.ts'
import type { ReadStore } from '../../stores/readStore.ts'
import type { QueryContext } from '../reading/context.ts'

export interface ProjectionHealth
  extends Pick<ProjectionState, 'name' | 'version' | 'position' | 'status' | 'parked'> {
  /** How long the first event has waited that it has yet to handle; 0 when it has handled all, absent when the log does not answer. */
  readonly lag_seconds?: number
}

/** Where the projections run. */
type ProjectedBy = 'this_instance' | 'another_instance' | 'nobody'

export interface Readiness {
  /** Whether requests may be sent here. */
  readonly ready: boolean
  /** `nobody` once none has been heard of for some seconds: what is read grows old. */
  readonly projected_by: ProjectedBy
  readonly stores: Readonly<Record<string, 'ok' | 'failing'>>
  readonly projections: readonly ProjectionHealth[]
}

interface Context extends Pick<QueryContext, 'events' | 'clock'> {
  readonly documents: Pick<ReadStore, 'checkpoints'>
  readonly keyring: Pick<OpenKeyring, 'storesKeys' | 'hasSpare'>
  readonly projections: Pick<SharedProjections, 'progress' | 'holding'>
  readonly role?: Role
  readonly damagedFiles?: ReadonlySet<DamagedStore>
}

/** How long a store may take to answer before it counts as failing. */
const storeMs = 2_000

/** Asks every store, and every projection how far it is. Never throws. */
export async function readinessOf(context: Context): Promise<Readiness> {
  const { events, documents, keyring, projections, role, damagedFiles } = context
  const progress = projections.progress()
  const [head, lags, views] = await Promise.all([
    within(events.head()),
    within(lagsOf(context, progress)),
    within(documents.checkpoints()),
  ])
  const isSound = (store: DamagedStore): boolean => !damagedFiles?.has(store)
  const stores = {
    // the head may be known without the log: what is behind is read from the log itself
    events: health(
      head !== undefined && lags !== undefined && events.takesAppends() && isSound('events'),
    ),
    documents: health(views !== undefined && isSound('documents')),
    keys: health(keyring.storesKeys() && isSound('keys')),
  }
  const holding = projections.holding()
  const isReady =
    role === 'api' ? canEvaluate(context, stores.events) : Object.values(stores).every(isOk)
  return {
    ready: isReady && (isExternal(role, holding) ? canBeRead(progress) : isLive(progress)),
    projected_by: projectedBy(holding),
    stores,
    projections: progress.map(({ name, version, position, status, parked }) => ({
      name,
      version,
      position,
      ...(lags && { lag_seconds: lags.get(position) ?? 0 }),
      status,
      parked,
    })),
  }
}

/**
 * An instance that is there to answer goes on with verdicts while the read store and the key store are away, as long as it has keys in
 * stock: whoever sends requests elsewhere for it would find the same there.
 */
function canEvaluate({ keyring }: Context, events: StoreHealth): boolean {
  return isOk(events) && (keyring.storesKeys() || keyring.hasSpare())
}

type StoreHealth = Readiness['stores'][string]

function isOk(store: StoreHealth): boolean {
  return store === 'ok'
}

function isLive(progress: readonly ProjectionState[]): boolean {
  return progress.every(({ status }) => status === 'live')
}

/** Whether the projections are another instance's to run, which does. */
function isExternal(role: Context['role'], { held, heard }: Holding): boolean {
  return role === 'api' || (heard && !held)
}

/**
 * Enough for an instance that does not run the projections itself: verdicts need none, and when they lag they lag for every other
 * instance too, so that sending requests elsewhere would help nobody.
 */
function canBeRead(progress: readonly ProjectionState[]): boolean {
  return progress.every(({ active }) => active !== undefined)
}

function projectedBy({ held, heard }: Holding): ProjectedBy {
  if (held) return 'this_instance'
  return heard ? 'another_instance' : 'nobody'
}

function health(isWell: boolean): StoreHealth {
  return isWell ? 'ok' : 'failing'
}

/** The answer, or undefined when there is none in time. */
async function within<Value>(asked: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), storeMs)
  })
  try {
    return await Promise.race([asked, late])
  } catch {
    // Why it fails stands in the log of whoever failed; here only that it does.
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

/** Of an event that waits, by whatever clock it was written: 0 says that none does. */
const leastMs = 1

/**
 * For each of these positions, for how many seconds the first event after it has waited to be handled; 0 only where there is none.
 * Throws what the store throws.
 */
export async function lagsOf(
  context: Pick<QueryContext, 'events' | 'clock'>,
  projections: readonly { readonly position: number }[],
): Promise<ReadonlyMap<number, number>> {
  const positions = new Set(projections.map(({ position }) => position))
  const lags = [...positions].map(async (at) => [at, await lagOf(context, at)] as const)
  return new Map(await Promise.all(lags))
}

async function lagOf(
  { events, clock }: Pick<QueryContext, 'events' | 'clock'>,
  position: number,
): Promise<number> {
  const [next] = await events.readAll({ after: position, limit: 1 })
  if (!next) return 0
  // of a projection that stopped, this may be the event that it cannot decode
  const { time } = JSON.parse(next.metadata) as { readonly time: number }
  return Math.max(leastMs, clock.nowMs() - time) / 1_000
}
