/** Checks readiness of stores and projections, and measures projection lag (design 6). */

import { setTimeout as sleep } from 'node:timers/promises'
import {
  booleanSchema,
  countSchema,
  openObject,
  optional,
  type TypeOf,
  text,
} from '../../domain/jsonSchema.ts'
import type { Role } from '../../domain/role.ts'
import type { DamagedStore } from '../../metrics/meters.ts'
import type {
  LeaseStatus,
  ProjectionState,
  SharedProjections,
} from '../../projections/running/projectionState.ts'
import type { PooledKeyring } from '../../stores/keys/keyring.ts'
import type { ReadStore } from '../../stores/readStore.ts'
import type { QueryContext } from '../reading/queryContext.ts'

export const projectionHealthFields = {
  name: text,
  version: countSchema,
  position: { type: 'integer', description: 'Position of the last event handled.' },
  lag_seconds: optional({
    type: 'number',
    minimum: 0,
    description:
      'Age of the first unhandled event, at least 0.001; 0 when there is none; absent when the log cannot be read.',
  }),
  status: { type: 'string', enum: ['live', 'catching_up', 'failing'] },
  parked: { ...countSchema, description: 'Events parked because they, or an earlier one, failed.' },
} as const
const projectionHealthSchema = openObject('ProjectionHealth', projectionHealthFields)

export const livenessSchema = openObject('Liveness', { status: { type: 'string', enum: ['ok'] } })

/** `ready`: whether requests may be sent here. */
export const readinessSchema = openObject('Readiness', {
  ready: booleanSchema,
  projected_by: {
    type: 'string',
    enum: ['this_instance', 'another_instance', 'nobody'],
    description:
      'The instance that runs the projections; nobody: none has reported for five seconds, and reads are getting stale.',
  },
  stores: { type: 'object', additionalProperties: { type: 'string', enum: ['ok', 'failing'] } },
  projections: { type: 'array', items: projectionHealthSchema },
})
export type Readiness = TypeOf<typeof readinessSchema>
type ProjectedBy = Readiness['projected_by']

interface Context extends Pick<QueryContext, 'events' | 'clock'> {
  readonly documents: Pick<ReadStore, 'checkpoints'>
  readonly keyring: Pick<PooledKeyring, 'storesKeys' | 'hasSpare'>
  readonly projections: Pick<SharedProjections, 'progress' | 'leaseStatus'>
  readonly role?: Role
  readonly damagedFiles?: ReadonlySet<DamagedStore>
}

/** How long a store may take to answer before it counts as failing. */
const storeMs = 2_000

/** Asks every store, and every projection how far it is. Never throws. */
export async function checkReadiness(context: Context): Promise<Readiness> {
  const { events, documents, keyring, projections, role, damagedFiles } = context
  const progress = projections.progress()
  const [head, lags, views] = await Promise.all([
    within(events.head()),
    within(measureLagSeconds(context, progress)),
    within(documents.checkpoints()),
  ])
  const isSound = (store: DamagedStore): boolean => !damagedFiles?.has(store)
  const areWell = {
    // the head may be known without the log: what is behind is read from the log itself
    events: head !== undefined && lags !== undefined && events.isWritable() && isSound('events'),
    documents: views !== undefined && isSound('documents'),
    keys: keyring.storesKeys() && isSound('keys'),
  }
  const leaseStatus = projections.leaseStatus()
  const isReady =
    role === 'api' ? areWell.events && hasKeys(context) : Object.values(areWell).every(Boolean)
  return {
    ready: isReady && (isExternal(role, leaseStatus) ? canBeRead(progress) : isLive(progress)),
    projected_by: projectedBy(leaseStatus),
    stores: Object.fromEntries(
      Object.entries(areWell).map(([store, isWell]) => [store, isWell ? 'ok' : 'failing']),
    ),
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
function hasKeys({ keyring }: Context): boolean {
  return keyring.storesKeys() || keyring.hasSpare()
}

function isLive(progress: readonly ProjectionState[]): boolean {
  return progress.every(({ status }) => status === 'live')
}

/** Whether the projections are another instance's to run, which does. */
function isExternal(role: Context['role'], { isOwner, isRunning }: LeaseStatus): boolean {
  return role === 'api' || (isRunning && !isOwner)
}

/**
 * Enough for an instance that does not run the projections itself: verdicts need none, and when they lag they lag for every other
 * instance too, so that sending requests elsewhere would help nobody.
 */
function canBeRead(progress: readonly ProjectionState[]): boolean {
  return progress.every(({ active }) => active !== undefined)
}

function projectedBy({ isOwner, isRunning }: LeaseStatus): ProjectedBy {
  if (isOwner) return 'this_instance'
  return isRunning ? 'another_instance' : 'nobody'
}

/** The answer, or undefined when there is none in time. */
async function within<Value>(asked: Promise<Value>): Promise<Value | undefined> {
  try {
    return await Promise.race([asked, sleep(storeMs, undefined, { ref: false })])
  } catch {
    // the store logs why
    return undefined
  }
}

/** Of an event that waits, by whatever clock it was written: 0 says that none does. */
const leastMs = 1

/**
 * For each of these positions, for how many seconds the first event after it has waited to be handled; 0 only where there is none.
 * Throws what the store throws.
 */
export async function measureLagSeconds(
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
