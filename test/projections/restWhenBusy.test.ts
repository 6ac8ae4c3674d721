import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type BatchDelay, batchDelay } from '../../src/projections/running/batchDelay.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const running = new AbortController().signal
const open = () => batchDelay({ delayMs: 60, awaitedDelayMs: 5 })

/** How long it rests, in ms; `meanwhile` is done after 20 of them. */
async function restOf(
  rest: BatchDelay,
  {
    events,
    chars = 1_000,
    nowMs,
    signal = running,
  }: { events: number; chars?: number; nowMs: number; signal?: AbortSignal },
  meanwhile: () => void = () => undefined,
): Promise<number> {
  let isOver = false
  const over = rest.after({ events, chars }, nowMs, signal).then(() => {
    isOver = true
  })
  let ms = 0
  await vi.advanceTimersByTimeAsync(0)
  for (; !isOver; ms += 1) {
    if (ms === 20) meanwhile()
    await vi.advanceTimersByTimeAsync(isOver ? 0 : 1)
  }
  await over
  return ms
}

/** After so many events that it is busy. */
async function busy(rest: BatchDelay): Promise<number> {
  for (let index = 0; index < 50; index += 1) {
    await restOf(rest, { events: 10, nowMs: index * 5 })
  }
  return 50 * 5
}

describe('a rest', () => {
  test('is never taken when single events come one after the other', async () => {
    const rest = open()

    for (let index = 0; index < 500; index += 1) {
      expect(await restOf(rest, { events: 1, nowMs: index * 3 })).toBe(0)
    }
  })

  test('is taken when many events come in small batches, until they stop', async () => {
    const rest = open()
    expect(await restOf(rest, { events: 10, nowMs: 0 })).toBe(0)

    const nowMs = await busy(rest)

    expect(await restOf(rest, { events: 10, nowMs })).toBe(60)
    expect(await restOf(rest, { events: 1, nowMs: nowMs + 1_000 })).toBe(0)
  })

  test('is not taken from a backlog', async () => {
    const rest = open()

    for (let index = 0; index < 50; index += 1) {
      expect(await restOf(rest, { events: 500, nowMs: index })).toBe(0)
    }
  })

  test('ends when somebody begins to wait', async () => {
    const rest = open()
    const nowMs = await busy(rest)

    const ms = await restOf(rest, { events: 10, nowMs }, rest.shorten)

    expect(ms).toBeLessThanOrEqual(21)
  })

  test('is a short one for a few batches when somebody waits, and then a whole one', async () => {
    const rest = open()
    let nowMs = await busy(rest)
    rest.shorten()

    const rests: number[] = []
    for (let index = 0; index < 6; index += 1) {
      rests.push(await restOf(rest, { events: 10, nowMs }))
      nowMs += 5
    }

    expect(rests).toEqual([5, 5, 5, 5, 60, 60])
  })

  test('is not taken from a backlog of few large events', async () => {
    const rest = open()
    const nowMs = await busy(rest)

    expect(await restOf(rest, { events: 10, chars: 1024 * 1024, nowMs })).toBe(0)
  })

  test('ends when the projections are stopped', async () => {
    const rest = open()
    const nowMs = await busy(rest)
    const stop = new AbortController()

    const ms = await restOf(rest, { events: 10, nowMs, signal: stop.signal }, () => stop.abort())

    expect(ms).toBeLessThanOrEqual(21)
  })
})
