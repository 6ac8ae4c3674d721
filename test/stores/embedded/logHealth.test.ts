import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type LogHealth, logHealth } from '../../../src/stores/embedded/embeddedEventStore.ts'
import type { BatchResult } from '../../../src/stores/embedded/logWriter.ts'

const written: BatchResult = { kind: 'written', answers: [] }
const full: BatchResult = { kind: 'refused', reason: 'the disk is full', broken: false }
const broken: BatchResult = { kind: 'refused', reason: 'the sync failed', broken: true }
const unwitnessed: BatchResult = { ...written, unwitnessed: 'the witness cannot be written' }

let probes: number
let found: BatchResult
let told: (string | undefined)[]
let health: LogHealth

beforeEach(() => {
  vi.useFakeTimers()
  probes = 0
  found = full
  told = []
  health = logHealth({
    probe: async () => {
      probes += 1
      return found
    },
    onTrouble: (reason) => told.push(reason),
    probeEveryMs: 1_000,
  })
})

afterEach(async () => {
  await health.close()
  vi.useRealTimers()
})

const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000)

test('given appends that are written, when noted, then the log is well and nothing is tried', async () => {
  for (let count = 0; count < 100; count += 1) health.note(written)
  await pass(60)

  expect(health.takesAppends()).toBe(true)
  expect({ probes, told }).toEqual({ probes: 0, told: [] })
})

test('given an append that is refused, when noted, then the log is failing at once, and said so once', () => {
  for (let count = 0; count < 100; count += 1) health.note(full)

  expect(health.takesAppends()).toBe(false)
  expect(told).toEqual(['the disk is full'])
})

test('given a full disk, when nobody appends any more, then it is tried once a second, however many were refused', async () => {
  for (let count = 0; count < 100; count += 1) health.note(full)
  await pass(10)

  expect(probes).toBe(10)
  expect(health.takesAppends()).toBe(false)
})

test('given room again, when it is tried, then the log is well by itself and is left alone', async () => {
  health.note(full)
  await pass(3)
  found = written
  await pass(1)

  expect(health.takesAppends()).toBe(true)
  expect(told).toEqual(['the disk is full', undefined])
  await pass(60)
  expect(probes).toBe(4)
})

test('given an append that fits by chance into a full disk, when noted, then the log stays failing', async () => {
  health.note(full)
  health.note(written)

  expect(health.takesAppends()).toBe(false)
  await pass(2)
  expect(health.takesAppends()).toBe(false)
})

test('given a witness that cannot be written, when noted, then the log is failing until it can', async () => {
  health.note(unwitnessed)
  found = unwitnessed
  await pass(2)
  expect(health.takesAppends()).toBe(false)

  found = written
  await pass(1)

  expect(health.takesAppends()).toBe(true)
  expect(told).toEqual(['the witness cannot be written', undefined])
})

test.each([
  ['an append', () => health.note(broken)],
  [
    'a try',
    () => {
      found = broken
      health.note(full)
    },
  ],
])(
  'given a writer that %s finds broken, when time passes, then it is not tried again',
  async (_, find) => {
    find()
    await pass(1)
    const before = probes
    await pass(60)

    expect(probes).toBe(before)
    expect(health.takesAppends()).toBe(false)
  },
)

test('given a try under way, when closed, then it is waited for and none follows', async () => {
  let finish = (): void => undefined
  const slow = logHealth({
    probe: () => {
      probes += 1
      return new Promise((resolve) => {
        finish = () => resolve(full)
      })
    },
    probeEveryMs: 1_000,
  })
  slow.note(full)
  await pass(1)
  let closed = false

  const closing = slow.close().then(() => {
    closed = true
  })
  await pass(5)
  expect(closed).toBe(false)
  finish()
  await closing

  await pass(60)
  expect(probes).toBe(1)
})

describe('given a write that is under way', () => {
  const reason = expect.stringContaining('the disk does not answer')

  test('when it takes four seconds, then the log is well', async () => {
    health.begun()
    await pass(4)
    health.note(written)
    await pass(60)

    expect(health.takesAppends()).toBe(true)
    expect(told).toEqual([])
  })

  test('when it takes longer than six, then the log is failing until it is done, and said so once', async () => {
    health.begun()
    health.begun()
    await pass(6)
    expect(health.takesAppends()).toBe(false)
    await pass(30)
    expect(told).toEqual([reason])

    health.note(written)

    expect(health.takesAppends()).toBe(true)
    expect(told).toEqual([reason, undefined])
  })

  test('when one after the other is done and one is always under way, then the log is well', async () => {
    health.begun()
    for (let count = 0; count < 20; count += 1) {
      health.begun()
      await pass(3)
      health.note(written)
    }

    expect(told).toEqual([])
  })

  test('when it fails after it hung, then why is said, and the log stays failing', async () => {
    health.begun()
    await pass(10)

    health.note(broken)
    await pass(10)

    expect(health.takesAppends()).toBe(false)
    expect(told).toEqual([reason, 'the sync failed'])
  })
})
