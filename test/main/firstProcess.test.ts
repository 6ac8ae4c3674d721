/** When a worker takes the first process for silent. */

import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { ProcessLine } from '../../src/domain/processLine.ts'
import { watchFirst } from '../../src/main/firstProcess.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A line from which something comes when it is said so. */
function open() {
  let received = 0
  let end = (): void => undefined
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  onTestFinished(() => end())
  const said: string[] = []
  const logger = { error: () => void said.push('error'), info: () => void said.push('info') }
  const line = { received: () => received, ended } as unknown as ProcessLine
  return {
    ...watchFirst(line, logger),
    said,
    end: () => end(),
    hear: () => {
      received += 1
    },
  }
}

test('one that is heard every five seconds is not silent', () => {
  const { isSilent, hear, said } = open()

  for (let count = 0; count < 10; count += 1) {
    vi.advanceTimersByTime(5_000)
    expect(isSilent()).toBe(false)
    hear()
  }

  expect(said).toEqual([])
})

test('one that is not heard is silent until it is heard, and the log says both once', async () => {
  const { isSilent, hear, said, end } = open()

  vi.advanceTimersByTime(60_000)
  const whenStill = [isSilent(), ...said]
  hear()
  vi.advanceTimersByTime(1_000)

  expect(whenStill).toEqual([true, 'error'])
  expect([isSilent(), ...said]).toEqual([false, 'error', 'info'])
  end()
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(0))
})
