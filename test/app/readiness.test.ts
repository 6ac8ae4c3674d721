import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ServiceContext } from '../../src/app/serviceContext.ts'
import { Failure } from '../../src/domain/failure.ts'
import type { Role } from '../../src/domain/role.ts'
import type { LeaseStatus } from '../../src/projections/running/projectionState.ts'
import { readinessOf } from '../../src/queries/operations/readiness.ts'

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
    documents: { checkpoints: checkpoints ?? (async () => []) },
    projections: { progress: progress ?? (() => [live]), leaseStatus: () => leaseStatus },
  } as unknown as ServiceContext
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a service is ready', () => {
  test('when its stores answer and every read model is live', async () => {
    expect(await readinessOf(contextOf())).toEqual({
      ready: true,
      projected_by: 'this_instance',
      stores: { events: 'ok', documents: 'ok', keys: 'ok' },
      projections: [live],
    })
  })

  test('also when events are parked, which is said', async () => {
    const parked = { ...live, parked: 3 }

    const found = await readinessOf(contextOf({ progress: () => [live, parked] }))

    expect(found.ready).toBe(true)
    expect(found.projections.map((one) => one.parked)).toEqual([0, 3])
  })

  test('when its log is empty', async () => {
    expect((await readinessOf(contextOf({ head: async () => 0 }))).ready).toBe(true)
  })
})

describe('a service is not ready', () => {
  test.each(['catching_up', 'failing'])('while one read model is %s', async (status) => {
    const found = await readinessOf(contextOf({ progress: () => [live, { ...live, status }] }))

    expect(found.ready).toBe(false)
    expect(found.stores).toEqual({ events: 'ok', documents: 'ok', keys: 'ok' })
    expect(found.projections.map((one) => one.status)).toEqual(['live', status])
  })

  test.each<[string, Parts, object]>([
    ['the log', { head: outage }, { events: 'failing', documents: 'ok', keys: 'ok' }],
    [
      'the log, though it is known where it ends,',
      { readAll: outage },
      { events: 'failing', documents: 'ok', keys: 'ok' },
    ],
    ['the read store', { checkpoints: outage }, { events: 'ok', documents: 'failing', keys: 'ok' }],
    [
      'both',
      { head: outage, checkpoints: () => Promise.reject(new Error('a bug')) },
      { events: 'failing', documents: 'failing', keys: 'ok' },
    ],
    [
      'a log that takes no appends',
      { isWritable: false },
      { events: 'failing', documents: 'ok', keys: 'ok' },
    ],
    [
      'a key store that takes no keys',
      { storesKeys: false },
      { events: 'ok', documents: 'ok', keys: 'failing' },
    ],
  ])('while %s fails, and says which', async (_, parts, stores) => {
    expect(await readinessOf(contextOf(parts))).toMatchObject({ ready: false, stores })
  })

  test.each<[string, Parts, object]>([
    ['the log', { head: never }, { events: 'failing', documents: 'ok', keys: 'ok' }],
    ['the read store', { checkpoints: never }, { events: 'ok', documents: 'failing', keys: 'ok' }],
  ])('when %s does not answer, which it does not wait for', async (_, parts, stores) => {
    const asked = readinessOf(contextOf(parts))
    await vi.advanceTimersByTimeAsync(60_000)

    expect(await asked).toMatchObject({ ready: false, stores })
  })
})

describe('how long events wait', () => {
  const waiting = async ({ after }: { readonly after: number }) =>
    after < 9 ? [{ metadata: JSON.stringify({ time: nowMs - 1000 * (9 - after) }) }] : []
  const behind = { ...live, name: 'rules', position: 5 }
  const lagsIn = async (parts: Parts) =>
    (await readinessOf(contextOf(parts))).projections.map(({ name, lag_seconds }) => [
      name,
      lag_seconds,
    ])

  test('is said of each read model by where it stands', async () => {
    const parts = { progress: () => [live, behind], readAll: waiting }

    expect(await lagsIn(parts)).toEqual([
      ['flows', 0],
      ['rules', 4],
    ])
  })

  test('is unknown, not nothing, when the log does not say', async () => {
    const parts = { progress: () => [behind], readAll: outage }

    expect(await lagsIn(parts)).toEqual([['rules', undefined]])
    const answered = await readinessOf(contextOf(parts))
    expect(answered.projections[0]).not.toHaveProperty('lag_seconds')
  })

  test('is not waited for', async () => {
    const asked = lagsIn({ progress: () => [behind], readAll: never })
    await vi.advanceTimersByTimeAsync(60_000)

    expect(await asked).toEqual([['rules', undefined]])
  })
})

test('what is wrong inside is for the log, not for whoever asks', async () => {
  const failing = { ...live, status: 'failing', error: 'password of the database', active: 1 }

  const found = await readinessOf(contextOf({ progress: () => [failing], head: outage }))

  expect(JSON.stringify(found)).not.toMatch(/password|disk/)
  expect(Object.keys(found.projections[0] ?? {})).toEqual(Object.keys(live))
})

test('no timer is left behind by stores that answer', async () => {
  await readinessOf(contextOf())
  await readinessOf(contextOf({ head: outage }))

  expect(vi.getTimerCount()).toBe(0)
})

describe('an instance that runs no projections', () => {
  test('is ready when nobody runs them, and says so, with how old what it reads is', async () => {
    const parts = { role: 'api', leaseStatus: nobody, progress: () => [stopped] } as const
    const waiting = [{ metadata: JSON.stringify({ time: nowMs - 90_000 }) }]

    const found = await readinessOf(contextOf({ ...parts, readAll: async () => waiting }))

    expect(found).toMatchObject({ ready: true, projected_by: 'nobody' })
    expect(found.projections).toMatchObject([{ status: 'failing', lag_seconds: 90 }])
  })

  test('is not ready before its read models have been built for the first time', async () => {
    const unbuilt = { ...live, status: 'catching_up', active: undefined }
    const parts = {
      role: 'api',
      leaseStatus: runningElsewhere,
      progress: () => [readable, unbuilt],
    } as const

    const found = await readinessOf(contextOf(parts))

    expect(found).toMatchObject({ ready: false, projected_by: 'another_instance' })
  })

  test('is not ready when the log is away', async () => {
    const parts = { role: 'api', progress: () => [readable], isWritable: false } as const

    expect((await readinessOf(contextOf(parts))).ready).toBe(false)
  })

  test('is ready while read store and key store are away, which is said, as long as it has keys in stock', async () => {
    const away = { checkpoints: outage, storesKeys: false, progress: () => [stopped] }
    const parts = { role: 'api', leaseStatus: runningElsewhere, ...away } as const

    const found = await readinessOf(contextOf(parts))
    const emptied = await readinessOf(contextOf({ ...parts, hasSpare: false }))

    expect(found).toMatchObject({
      ready: true,
      stores: { events: 'ok', documents: 'failing', keys: 'failing' },
    })
    expect(emptied.ready).toBe(false)
  })
})

test('an instance that could run the projections is ready while another one catches up', async () => {
  const behind = { ...readable, status: 'catching_up' }

  const found = await readinessOf(
    contextOf({ leaseStatus: runningElsewhere, progress: () => [behind] }),
  )

  expect(found).toMatchObject({ ready: true, projections: [{ status: 'catching_up' }] })
})

test.each<Role>(['projector', 'all'])('%s is not ready when nobody runs them', async (role) => {
  const parts = { role, leaseStatus: nobody, progress: () => [stopped] } as const

  expect(await readinessOf(contextOf(parts))).toMatchObject({
    ready: false,
    projected_by: 'nobody',
  })
})
