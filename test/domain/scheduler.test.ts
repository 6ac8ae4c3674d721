import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  jobsOfAccountMax,
  longWork,
  openScheduler,
  pauseLongWork,
  runInSlices,
  runSoon,
  waitingJobsMax,
} from '../../src/domain/load/scheduler.ts'
import { everyPauseYields, turnsDuring } from '../support/everyPauseYields.ts'

let load = { scheduler: openScheduler() }
beforeEach(() => {
  load = { scheduler: openScheduler() }
})
afterEach(() => void vi.restoreAllMocks())

/** A clock that goes on only by `nextMs`. */
function givenClock() {
  let nowMs = 1_000
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  return {
    nextMs: (ms: number) => {
      nowMs += ms
    },
  }
}

/** Notes each turn of the event loop as `|` until all jobs have ended. */
async function withTurns(order: string[], all: readonly Promise<unknown>[]): Promise<string[]> {
  let done = false
  const turn = (): void => {
    order.push('|')
    if (!done) setImmediate(turn)
  }
  setImmediate(turn)
  await Promise.all(all)
  done = true
  return order
    .join('')
    .split('|')
    .filter((turnOf) => turnOf !== '')
}

describe('long work', () => {
  test('of one account runs one job after the other, also after one that fails', async () => {
    everyPauseYields()
    const order: string[] = []
    const job = (name: string) => async () => {
      order.push(`${name} begins`)
      await pauseLongWork(load)
      order.push(`${name} ends`)
      if (name === 'a') throw new Error('broken')
      return name
    }

    const all = await Promise.allSettled(['a', 'b'].map((name) => longWork(load, 'one', job(name))))

    expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
    expect(all).toMatchObject([{ reason: new Error('broken') }, { value: 'b' }])
  })

  test('has a turn of the event loop for each slice, in turn between the accounts', async () => {
    everyPauseYields()
    const order: string[] = []
    const job = (name: string) => async () => {
      for (let step = 0; step < 3; step += 1) {
        order.push(name)
        await pauseLongWork(load)
      }
    }

    const turns = await withTurns(order, [
      longWork(load, 'a', job('a')),
      longWork(load, 'a', job('A')),
      longWork(load, 'b', job('b')),
    ])

    expect(turns).toEqual(['a', 'b', 'a', 'b', 'a', 'b', 'A', 'A', 'A'])
  })

  test('goes on without a pause while its slice lasts', async () => {
    await longWork(load, 'quick', () => {
      expect(pauseLongWork(load)).toBeUndefined()
    })
  })

  test('written as steps has a turn of the event loop for each slice, and gives what it returns', async () => {
    everyPauseYields()
    let value: number | undefined
    function* steps() {
      for (let step = 0; step < 3; step += 1) yield
      return 7
    }

    const turns = await turnsDuring(async () => {
      value = await runInSlices(load, steps())
    })

    expect(turns).toBeGreaterThanOrEqual(3)
    expect(value).toBe(7)
  })

  test('is begun at once until a slice is used up in a turn of the event loop, and ended as a job', async () => {
    const { nextMs } = givenClock()
    const begun: string[] = []
    function* work(name: string, ms: number) {
      begun.push(name)
      nextMs(ms)
      yield
      return name
    }

    const [first, second, third] = [work('a', 3), work('b', 3), work('c', 1)].map((one) =>
      runSoon(load, 'one', one),
    )

    expect(first).toBe('a')
    expect(begun).toEqual(['a', 'b'])
    expect(await Promise.all([second, third])).toEqual(['b', 'c'])
    expect(runSoon(load, 'one', work('d', 1))).toBe('d')
  })

  test('of an account is refused when too many of its jobs wait, and when too many of all wait; one that waits for none is not', async () => {
    let release = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const fill = (account: string) =>
      Array.from({ length: jobsOfAccountMax }, () => longWork(load, account, () => gate))
    const waiting = fill('greedy')

    await expect(longWork(load, 'greedy', () => 1)).rejects.toMatchObject({ code: 'rate_limited' })
    await expect(longWork(load, 'other', () => 1)).resolves.toBe(1)
    for (let one = 1; one < waitingJobsMax / (jobsOfAccountMax - 1); one += 1) {
      waiting.push(...fill(`x${one}`))
    }
    const ended = Promise.allSettled(waiting)
    await expect(waiting.at(-1)).rejects.toMatchObject({ code: 'unavailable' })
    await expect(longWork(load, 'other', () => 1)).resolves.toBe(1)

    release()
    await ended
    await expect(longWork(load, 'greedy', () => 1)).resolves.toBe(1)
  })
  test('that is refused after its first steps is given up, so that it leaves nothing behind', async () => {
    const clock = givenClock()
    let isCleared = false
    function* work() {
      try {
        clock.nextMs(6)
        yield
      } finally {
        isCleared = true
      }
    }
    let release = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const waiting = Array.from({ length: jobsOfAccountMax }, () =>
      longWork(load, 'one', () => gate),
    )

    await expect(runSoon(load, 'one', work())).rejects.toMatchObject({ code: 'rate_limited' })

    expect(isCleared).toBe(true)
    vi.restoreAllMocks()
    release()
    await Promise.all(waiting)
  })
})
