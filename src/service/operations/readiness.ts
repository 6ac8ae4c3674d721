/** Whether the service can do its work: its stores answer and take what is written, and its read models keep up (design 6). */

import type { DamagedStore } from '../../metrics/damageMeter.ts'
import type { Holding } from '../../projections/running/projectionLease.ts'
import type { ProjectionState } from '../../projections/running/projections.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { lagsOf } from './lags.ts'
import type { ProjectedBy, Readiness } from './operationsPart.ts'

/** How long a store may take to answer before it counts as failing. */
const storeMs = 2_000

/** Asks every store, and every projection how far it is. Never throws. */
export async function readinessOf(context: ServiceContext): Promise<Readiness> {
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
    ready: isReady && (isElsewhere(role, holding) ? canBeRead(progress) : isLive(progress)),
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
function canEvaluate({ keyring }: ServiceContext, events: StoreHealth): boolean {
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
function isElsewhere(role: ServiceContext['role'], { held, heard }: Holding): boolean {
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
