import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ServiceContext } from '../../src/app/serviceContext.ts'
import { Failure } from '../../src/domain/failure.ts'
import type { Role } from '../../src/domain/role.ts'
import type { LeaseStatus } from '../../src/projections/running/projectionState.ts'
import { checkReadiness, type Readiness } from '../../src/queries/operations/readiness.ts'

const live = {
  name: 'flows',
  version: 2,
  position: 9,
  lag_seconds: 0,
  status: 'live',
  parked: 0,
} as const
const runningElsewhere = { isOwner: false, fence: undefined, isRunning: true }
const nobody = { ...runningElsewhere, isRunning: false }
/** Of what is readable. */
const checkpoint = { projection: 'flows', version: 2 }
const readable = { ...live, active: 2 }
const stopped = { ...readable, status: 'failing' }
const outage = () => Promise.reject(new Failure('unavailable', 'The disk is gone.'))
const never = () => new Promise<never>(() => undefined)

interface Parts {
  readonly head?: () => Promise<number>
  readonly isWritable?: boolean
  readonly storesKeys?: boolean
  readonly hasSpare?: boolean
  readonly checkpoints?: () => Promise<readonly unknown[]>
  readonly progress?: () => readonly object[]
  readonly leaseStatus?: LeaseStatus
  readonly role?: Role
  /** The event after a position that waits for its projection. */
  readonly readAll?: (asked: { readonly after: number }) => Promise<readonly object[]>
}

const nowMs = Date.UTC(2026, 0, 1)

function contextOf(parts: Parts = {}): ServiceContext {
  const { head, checkpoints, progress, readAll, isWritable = true, storesKeys = true } = parts
  const { hasSpare = true } = parts
  const { role, leaseStatus = { isOwner: true, fence: 1, isRunning: true } } = parts
  return {
    role,
    clock: { nowMs: () => nowMs },
    events: {
      head: head ?? (async () => 9),
      readAll: readAll ?? (async () => []),
      isWritable: () => isWritable,
    },
    keyring: { storesKeys: () => storesKeys, hasSpare: () => hasSpare },
    documents: { checkpoints: checkpoints ?? (async () => [checkpoint]) },
    projections: { progress: progress ?? (() => [live]), leaseStatus: () => leaseStatus },
  } as unknown as ServiceContext
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** What is answered at the latest after a minute. */
async function answeredTo(parts: Parts = {}): Promise<Readiness> {
  const asked = checkReadiness(contextOf(parts))
  await vi.advanceTimersByTimeAsync(60_000)
  return asked
}

const well = { events: 'ok', documents: 'ok', keys: 'ok' }
const logFails = { ...well, events: 'failing' }
const documentsFail = { ...well, documents: 'failing' }
const keysFail = { ...well, keys: 'failing' }

test('a service is ready when its stores answer and every read model is live', async () => {
  expect(await answeredTo()).toEqual({
    ready: true,
    projected_by: 'this_instance',
    stores: well,
    projections: [live],
  })
})

test.each<[string, Parts, object]>([
  [
    'when events are parked, which is said',
    { progress: () => [live, { ...live, parked: 3 }] },
    { projections: [{ parked: 0 }, { parked: 3 }] },
  ],
  ['when its log is empty', { head: async () => 0 }, {}],
  [
    'that runs no projections when nobody runs them, and says so, with how old what it reads is',
    {
      ...{ role: 'api', leaseStatus: nobody, progress: () => [stopped] },
      readAll: async () => [{ metadata: JSON.stringify({ time: nowMs - 90_000 }) }],
    },
    { projected_by: 'nobody', projections: [{ status: 'failing', lag_seconds: 90 }] },
  ],
  [
    'that runs no projections while read store and key store are away, as long as it has keys in stock',
    {
      ...{ role: 'api', leaseStatus: runningElsewhere, progress: () => [stopped] },
      ...{ checkpoints: outage, storesKeys: false },
    },
    { stores: { events: 'ok', documents: 'failing', keys: 'failing' } },
  ],
  [
    'that could run the projections while another one catches up',
    {
      leaseStatus: runningElsewhere,
      progress: () => [{ ...readable, status: 'catching_up' }],
    },
    { projections: [{ status: 'catching_up' }] },
  ],
])('a service is ready %s', async (_, parts, answer) => {
  expect(await answeredTo(parts)).toMatchObject({ ready: true, ...answer })
})

test.each<[string, Parts, object]>([
  [
    'a read model is catching up',
    { progress: () => [live, { ...live, status: 'catching_up' }] },
    { stores: well, projections: [{ status: 'live' }, { status: 'catching_up' }] },
  ],
  [
    'a read model is gone that was read a moment ago',
    { progress: () => [{ ...readable }], checkpoints: async () => [] },
    { stores: well },
  ],
  [
    'a read model is failing',
    { progress: () => [live, { ...live, status: 'failing' }] },
    { stores: well, projections: [{ status: 'live' }, { status: 'failing' }] },
  ],
  ['the log fails', { head: outage }, { stores: logFails }],
  ['the log fails, though it is known where it ends', { readAll: outage }, { stores: logFails }],
  ['the read store fails', { checkpoints: outage }, { stores: documentsFail }],
  [
    'both fail',
    { head: outage, checkpoints: () => Promise.reject(new Error('a bug')) },
    { stores: { events: 'failing', documents: 'failing', keys: 'ok' } },
  ],
  ['the log takes no appends', { isWritable: false }, { stores: logFails }],
  ['the key store takes no keys', { storesKeys: false }, { stores: keysFail }],
  ['the log does not answer', { head: never }, { stores: logFails }],
  ['the read store does not answer', { checkpoints: never }, { stores: documentsFail }],
  [
    'its read models have not been built for the first time, though others run them',
    {
      ...{ role: 'api', leaseStatus: runningElsewhere },
      progress: () => [readable, { ...live, status: 'catching_up', active: undefined }],
    },
    { projected_by: 'another_instance' },
  ],
  [
    'it runs no projections and the log is away',
    { role: 'api', progress: () => [readable], isWritable: false },
    {},
  ],
  [
    'it runs no projections, the key store is away and no key in stock',
    { role: 'api', progress: () => [readable], storesKeys: false, hasSpare: false },
    { stores: keysFail },
  ],
  [
    'it is there to run the projections and nobody does',
    { role: 'projector', leaseStatus: nobody, progress: () => [stopped] },
    { projected_by: 'nobody' },
  ],
  [
    'it is there for all and nobody runs the projections',
    { role: 'all', leaseStatus: nobody, progress: () => [stopped] },
    { projected_by: 'nobody' },
  ],
])('a service is not ready while %s', async (_, parts, answer) => {
  expect(await answeredTo(parts)).toMatchObject({ ready: false, ...answer })
})

describe('how long events wait', () => {
  const waiting = async ({ after }: { readonly after: number }) =>
    after < 9 ? [{ metadata: JSON.stringify({ time: nowMs - 1000 * (9 - after) }) }] : []
  const behind = { ...live, name: 'rules', position: 5 }

  test('is said of each read model by where it stands', async () => {
    const { projections } = await answeredTo({ progress: () => [live, behind], readAll: waiting })

    expect(projections).toMatchObject([
      { name: 'flows', lag_seconds: 0 },
      { name: 'rules', lag_seconds: 4 },
    ])
  })

  test.each([outage, never])('is unknown, not nothing, when the log does not say', async (log) => {
    const { projections } = await answeredTo({ progress: () => [behind], readAll: log })

    expect(projections[0]).not.toHaveProperty('lag_seconds')
  })

  test.each([
    ['in this very millisecond', nowMs],
    ['by a clock that goes ahead of this one', nowMs + 7_500],
  ])('is at least a millisecond, also of one written %s', async (_, time) => {
    const readAll = async () => [{ metadata: JSON.stringify({ time }) }]

    expect((await answeredTo({ readAll })).projections).toMatchObject([{ lag_seconds: 0.001 }])
  })
})

test('what is wrong inside is for the log, not for whoever asks', async () => {
  const failing = { ...live, status: 'failing', error: 'password of the database', active: 1 }

  const found = await answeredTo({ progress: () => [failing], head: outage })

  expect(JSON.stringify(found)).not.toMatch(/password|disk/)
  expect(Object.keys(found.projections[0] ?? {})).toEqual(Object.keys(live))
})

test('no timer is left behind by stores that answer', async () => {
  await checkReadiness(contextOf())
  await checkReadiness(contextOf({ head: outage }))

  expect(vi.getTimerCount()).toBe(0)
})
