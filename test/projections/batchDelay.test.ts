import { afterEach, describe, expect, test, vi } from 'vitest'
import { type BatchDelay, createBatchDelay } from '../../src/projections/running/batchDelay.ts'
import { sleep } from '../../src/stores/backgroundLoop.ts'

vi.mock(import('../../src/stores/backgroundLoop.ts'), async (original) => ({
  ...(await original()),
  sleep: vi.fn(async () => undefined),
}))
afterEach(() => void vi.mocked(sleep).mockReset())

const running = new AbortController().signal
const open = () => createBatchDelay({ delayMs: 200, awaitedDelayMs: 5 })

interface Batch {
  readonly events: number
  readonly chars?: number
  readonly nowMs: number
  readonly signal?: AbortSignal
}

/** How long it rests, in ms; `meanwhile` is done during each part, which counts only while nothing ends it. */
async function restOf(
  rest: BatchDelay,
  { events, chars = 1_000, nowMs, signal = running }: Batch,
  meanwhile: () => void = () => undefined,
): Promise<number> {
  let sum = 0
  vi.mocked(sleep).mockImplementation(async (ms, until) => {
    meanwhile()
    if (!until?.aborted) sum += ms
  })
  await rest.after({ events, chars }, nowMs, signal)
  return sum
}

/** After so many events that it is busy. */
async function busy(rest: BatchDelay): Promise<number> {
  for (let index = 0; index < 50; index += 1) {
    await restOf(rest, { events: 10, nowMs: index * 5 })
  }
  return 50 * 5
}

describe('a rest', () => {
  test('is never taken when single events come now and then', async () => {
    const rest = open()

    for (let index = 0; index < 500; index += 1) {
      expect(await restOf(rest, { events: 1, nowMs: index * 60 })).toBe(0)
    }
  })

  test('is taken when many events come in small batches, until they stop', async () => {
    const rest = open()
    expect(await restOf(rest, { events: 4, nowMs: 0 })).toBe(0)

    const nowMs = await busy(rest)

    expect(await restOf(rest, { events: 10, nowMs })).toBe(200)
    expect(await restOf(rest, { events: 1, nowMs: nowMs + 10_000 })).toBe(0)
  })

  test('is not taken from a backlog, of many events or of few large ones', async () => {
    const rest = open()
    for (let index = 0; index < 50; index += 1) {
      expect(await restOf(rest, { events: 1_000, nowMs: index })).toBe(0)
    }

    expect(await restOf(rest, { events: 10, chars: 2 * 1024 * 1024, nowMs: 50 })).toBe(0)
  })

  test('is a short one for who waits, and for no batch after that', async () => {
    const rest = open()
    const nowMs = await busy(rest)
    let parts = 0
    const inSecond = (): void => {
      parts += 1
      if (parts === 2) rest.shorten()
    }

    const rests = [await restOf(rest, { events: 10, nowMs }, inSecond)]
    for (let index = 1; index < 6; index += 1) {
      rests.push(await restOf(rest, { events: 10, nowMs: nowMs + 5 * index }))
    }

    expect(rests).toEqual([5, 200, 200, 200, 200, 200])
  })

  test('ends when the projections are stopped', async () => {
    const rest = open()
    const nowMs = await busy(rest)
    const stop = new AbortController()

    const ms = await restOf(rest, { events: 10, nowMs, signal: stop.signal }, () => stop.abort())

    expect(ms).toBe(0)
  })
})
