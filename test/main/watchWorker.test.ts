/** When the first process gives up a worker. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchWorker } from '../../src/main/watchWorker.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** A worker that answers when it is said so. */
function open() {
  let answer = (): void => undefined
  const given: string[] = []
  const line = {
    ask: () =>
      new Promise<unknown>((resolve) => {
        answer = () => resolve(true)
      }),
    ended: new Promise<void>(() => undefined),
  }
  watchWorker(line, (reason) => given.push(reason))
  return { answer: () => answer(), givenUp: () => given.length > 0, reason: () => given[0] }
}

/** One that has answered its first question. */
async function begun() {
  const worker = open()
  await vi.advanceTimersByTimeAsync(1_000)
  worker.answer()
  return worker
}

test('one that has not begun to answer is waited for two minutes, and is then given up with why', async () => {
  const { answer, givenUp, reason } = open()

  await vi.advanceTimersByTimeAsync(120_000)
  expect(givenUp()).toBe(false)
  await vi.advanceTimersByTimeAsync(1_000)

  expect(reason()).toMatch(/^A worker was ended: it did not begin within 120 s/)
  answer()
})

test('given one that took a minute to begin, when it answers from then on, then it is kept', async () => {
  const { answer, givenUp } = open()
  await vi.advanceTimersByTimeAsync(60_000)
  answer()

  await vi.advanceTimersByTimeAsync(29_000)
  answer()
  await vi.advanceTimersByTimeAsync(29_000)

  expect(givenUp()).toBe(false)
})

test('one that answers within half a minute is kept', async () => {
  const { answer, givenUp } = await begun()

  for (let count = 0; count < 5; count += 1) {
    await vi.advanceTimersByTimeAsync(30_000)
    answer()
  }

  expect(givenUp()).toBe(false)
})

test('one that does not answer for longer is given up with why', async () => {
  const { reason } = await begun()

  await vi.advanceTimersByTimeAsync(31_000)

  expect(reason()).toBe('A worker was ended: it did not answer for 30 s.')
})

test('given that it was asked, when the first process itself stands still for a minute, then it is kept', async () => {
  const { givenUp } = await begun()
  await vi.advanceTimersByTimeAsync(1_000)
  const stoodUntil = performance.now() + 60_000
  vi.spyOn(performance, 'now').mockImplementation(() => stoodUntil)

  // a timer that is long due comes before what has arrived meanwhile
  await vi.advanceTimersByTimeAsync(1_000)

  expect(givenUp()).toBe(false)
})
