import { beforeEach, expect, test, vi } from 'vitest'
import { sleep } from '../../src/stores/backgroundLoop.ts'
import { type Backoff, backOff, retry } from '../../src/stores/retry.ts'

vi.mock(import('../../src/stores/backgroundLoop.ts'), async (original) => ({
  ...(await original()),
  sleep: vi.fn(async () => undefined),
}))
beforeEach(() => void vi.mocked(sleep).mockReset())

const pauses = { backoffMs: 50, backoffMaxMs: 300 }
const slept = () => vi.mocked(sleep).mock.calls.map(([ms]) => ms)

test('pauses double up to the longest, and begin anew after a success', async () => {
  const backoff: Backoff = { ...pauses, failures: 0 }
  for (let failed = 0; failed < 5; failed += 1) await backOff(backoff)
  backoff.failures = 0
  for (let failed = 0; failed < 2; failed += 1) await backOff(backoff)

  expect(slept()).toEqual([50, 100, 200, 300, 300, 50, 100])
})

test('work is repeated until it succeeds; every failure is told with how many there were', async () => {
  const told: unknown[] = []
  const errors = [new Error('first'), new Error('second')]
  const left = [...errors]
  const work = async () => {
    const error = left.shift()
    if (error) throw error
    return 'done'
  }

  const onFailure = (...failure: unknown[]) => void told.push(failure)
  expect(await retry(work, onFailure, pauses)).toBe('done')
  expect(told).toEqual(errors.map((error, index) => [error, index + 1]))
  expect(slept()).toEqual([50, 100])
})

test('what is thrown at a failure ends the attempts without a pause', async () => {
  const work = vi.fn().mockRejectedValue(new Error('a bug'))
  const onFailure = (error: unknown) => {
    throw error
  }

  await expect(retry(work, onFailure, pauses)).rejects.toThrow('a bug')
  expect(work).toHaveBeenCalledTimes(1)
  expect(slept()).toEqual([])
})
