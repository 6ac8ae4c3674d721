import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import { type OutageRetry, retryOutages } from '../../src/projections/running/retryOutages.ts'
import { draws } from '../support/draws.ts'

function retry(change: Partial<OutageRetry> = {}) {
  const words: string[] = []
  const options: OutageRetry = {
    signal: new AbortController().signal,
    backoffMs: 0,
    backoffMaxMs: 0,
    onOutage: (told) => words.push(told),
    ...change,
  }
  return { words, options }
}

/** Work that is away so often, then answers. */
function away(times: number, error: () => unknown = () => new Failure('unavailable', 'away')) {
  const work = { tries: 0 }
  const run = async (): Promise<string> => {
    work.tries += 1
    if (work.tries <= times) throw error()
    return 'done'
  }
  return { work, run }
}

describe('work against a store', () => {
  test('is done as soon as the store is there, however often it was away before', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(20), async (times) => {
        const { words, options } = retry()
        const { work, run } = away(times)

        expect(await retryOutages(run, options)).toBe('done')
        expect(work.tries).toBe(times + 1)
        expect(words).toEqual(Array(times).fill('away'))
      }),
      { numRuns: draws(15) },
    ))

  test.each([
    ['a fault', new Error('a bug')],
    ['a refusal', new Failure('conflict', 'no')],
    ['something thrown that is no error', 'words'],
  ])('that ends in %s is not tried again', async (_, thrown) => {
    const { words, options } = retry()
    const { work, run } = away(3, () => thrown)

    await expect(retryOutages(run, options)).rejects.toBe(thrown)
    expect(work.tries).toBe(1)
    expect(words).toEqual([])
  })

  test('says what is behind an outage', async () => {
    const { words, options } = retry()
    const cause = new Error('disk I/O error')
    const { run } = away(1, () => new Failure('unavailable', 'The log is away.', { cause }))

    await retryOutages(run, options)

    expect(words).toEqual(['The log is away. (disk I/O error)'])
  })

  test('is given up when nobody needs it any more, and not before it was tried once', async () => {
    const controller = new AbortController()
    controller.abort()
    const { options } = retry({ signal: controller.signal })

    expect(await retryOutages(away(0).run, options)).toBe('done')
    const { work, run } = away(9)
    expect(await retryOutages(run, options)).toBeUndefined()
    expect(work.tries).toBe(1)
  })

  test('that waits for long ends at once when it is given up', async () => {
    const controller = new AbortController()
    const { options } = retry({
      signal: controller.signal,
      backoffMs: 1_000_000,
      backoffMaxMs: 1_000_000,
      onOutage: () => setImmediate(() => controller.abort()),
    })
    const { work, run } = away(9)

    expect(await retryOutages(run, options)).toBeUndefined()
    expect(work.tries).toBe(1)
  })
})
