import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  jobsMax,
  jobsOfAccountMax,
  pauseLongWork,
  runLongWork,
  tryWithinSlice,
} from '../../src/domain/load/longWork.ts'
import { everyPauseYields } from '../support/everyPauseYields.ts'

afterEach(() => void vi.restoreAllMocks())

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
      await pauseLongWork()
      order.push(`${name} ends`)
      if (name === 'a') throw new Error('broken')
      return name
    }

    const all = await Promise.allSettled(['a', 'b'].map((name) => runLongWork('one', job(name))))

    expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
    expect(all).toMatchObject([{ reason: new Error('broken') }, { value: 'b' }])
  })

  test('has a turn of the event loop for each slice, in turn between the accounts', async () => {
    everyPauseYields()
    const order: string[] = []
    const job = (name: string) => async () => {
      for (let step = 0; step < 3; step += 1) {
        order.push(name)
        await pauseLongWork()
      }
    }

    const turns = await withTurns(order, [
      runLongWork('a', job('a')),
      runLongWork('a', job('A')),
      runLongWork('b', job('b')),
    ])

    expect(turns).toEqual(['a', 'b', 'a', 'b', 'a', 'b', 'A', 'A', 'A'])
  })

  test('goes on without a pause while its slice lasts', async () => {
    await runLongWork('quick', () => {
      expect(pauseLongWork()).toBeUndefined()
    })
  })

  test('is begun at once until a slice is used up in a turn of the event loop', async () => {
    let nowMs = 1_000
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
    const work = (ms: number) => (untilMs: number) => {
      nowMs += ms
      return untilMs - nowMs
    }

    expect([work(3), work(2), work(1)].map((one) => tryWithinSlice(one))).toEqual([2, 0, undefined])
    await new Promise(setImmediate)
    expect(tryWithinSlice(work(1))).toBe(4)
  })

  test('of an account is refused when too many of its jobs wait, and of all when there are too many', async () => {
    let release = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const fill = (account: string) =>
      Array.from({ length: jobsOfAccountMax }, () => runLongWork(account, () => gate))
    const waiting = fill('greedy')

    await expect(runLongWork('greedy', () => 1)).rejects.toMatchObject({ code: 'rate_limited' })
    await expect(runLongWork('other', () => 1)).resolves.toBe(1)
    for (let one = 1; one < jobsMax / jobsOfAccountMax; one += 1) waiting.push(...fill(`x${one}`))
    await expect(runLongWork('other', () => 1)).rejects.toMatchObject({ code: 'unavailable' })

    release()
    await Promise.all(waiting)
    await expect(runLongWork('greedy', () => 1)).resolves.toBe(1)
  })
})
