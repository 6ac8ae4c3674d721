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
  let given = 0
  const line = {
    ask: () =>
      new Promise<unknown>((resolve) => {
        answer = () => resolve(true)
      }),
    ended: new Promise<void>(() => undefined),
  }
  watchWorker(line, () => {
    given += 1
  })
  return { answer: () => answer(), givenUp: () => given > 0 }
}

test('one that answers within half a minute is kept', async () => {
  const { answer, givenUp } = open()

  for (let count = 0; count < 5; count += 1) {
    await vi.advanceTimersByTimeAsync(30_000)
    answer()
  }

  expect(givenUp()).toBe(false)
})

test('one that does not answer for longer is given up', async () => {
  const { givenUp } = open()

  await vi.advanceTimersByTimeAsync(31_000)

  expect(givenUp()).toBe(true)
})

test('given that it was asked, when the first process itself stands still for a minute, then it is kept', async () => {
  const { givenUp } = open()
  await vi.advanceTimersByTimeAsync(1_000)
  const stoodUntil = performance.now() + 60_000
  vi.spyOn(performance, 'now').mockImplementation(() => stoodUntil)

  // a timer that is long due comes before what has arrived meanwhile
  await vi.advanceTimersByTimeAsync(1_000)

  expect(givenUp()).toBe(false)
})
