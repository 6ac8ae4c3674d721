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
  const { events, documents, keyring, projections, damagedFiles } = context
  const progress = projections.progress()
  const [head, lags, views] = await Promise.all([
    answerInTime(events.head()),
    answerInTime(measureLagSeconds(context, progress)),
    answerInTime(documents.checkpoints()),
  ])
  const isSound = (store: DamagedStore): boolean => !damagedFiles?.has(store)
  const stores = {
    // the head may be known without the log: what is behind is read from the log itself
    events: head !== undefined && lags !== undefined && events.isWritable() && isSound('events'),
    documents: views !== undefined && isSound('documents'),
    keys: keyring.storesKeys() && isSound('keys'),
  }
  // somebody may have dropped what is read since it was heard of
  const isBuilt = ({ name, active }: ProjectionState): boolean =>
    !views ||
    active === undefined ||
    views.some((one) => one.projection === name && one.version === active)
  const { isOwner, isRunning } = projections.leaseStatus()
  return {
    ready: isReady(context, stores, progress) && progress.every(isBuilt),
    projected_by: isOwner ? 'this_instance' : isRunning ? 'another_instance' : 'nobody',
    stores: Object.fromEntries(
      Object.entries(stores).map(([store, isWell]) => [store, isWell ? 'ok' : 'failing']),
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

function isReady(
  { keyring, projections, role }: Context,
  stores: Readonly<Record<DamagedStore, boolean>>,
  progress: ReturnType<Context['projections']['progress']>,
): boolean {
  const isApi = role === 'api'
  // one that only answers goes on without the other stores while it has keys in stock: no other instance could do more
  const areStoresReady = isApi
    ? stores.events && (keyring.storesKeys() || keyring.hasSpare())
    : Object.values(stores).every(Boolean)
  const { isOwner, isRunning } = projections.leaseStatus()
  const isExternal = isApi || (isRunning && !isOwner)
  // verdicts need no projection, and those that another instance runs lag for every instance
  const isUsable = progress.every(({ active, status }) =>
    isExternal ? active !== undefined : status === 'live',
  )
  return areStoresReady && isUsable
}

/** The answer, or undefined when there is none in time. */
async function answerInTime<Value>(asked: Promise<Value>): Promise<Value | undefined> {
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
 * For each of these positions, for how many seconds the first event after it has waited to be handled; 0 only where
 * there is none. Throws what the store throws.
 */
export async function measureLagSeconds(
  { events, clock }: Pick<QueryContext, 'events' | 'clock'>,
  projections: readonly { readonly position: number }[],
): Promise<ReadonlyMap<number, number>> {
  const positions = new Set(projections.map(({ position }) => position))
  const lags = [...positions].map(async (position) => {
    const [next] = await events.readAll({ after: position, limit: 1 })
    if (!next) return [position, 0] as const
    // of a projection that stopped, this may be the event that it cannot decode
    const { time } = JSON.parse(next.metadata) as { readonly time: number }
    return [position, Math.max(leastMs, clock.nowMs() - time) / 1_000] as const
  })
  return new Map(await Promise.all(lags))
}
