import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import { eventBatch } from '../../src/projections/running/foldBatch.ts'
import {
  errorMessage,
  type OutageRetry,
  retryOutages,
} from '../../src/projections/running/retryOutages.ts'
import type { RecordedEvent } from '../../src/stores/eventStore.ts'
import { pause } from '../../src/stores/pause.ts'
import { draws } from '../support/draws.ts'
import { decodeLetters } from './lettersProjection.ts'
import { memoryLog } from './memoryEventStore.ts'

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

  test('that turns from an outage into a fault ends there', async () => {
    const { words, options } = retry()
    const fault = new Error('a bug')
    let tries = 0
    const { run } = away(5, () => {
      tries += 1
      return tries < 3 ? new Failure('unavailable', 'away') : fault
    })

    await expect(retryOutages(run, options)).rejects.toBe(fault)
    expect(words).toEqual(['away', 'away'])
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

test('a pause of nothing, or one that is over before it begins, is none', async () => {
  const aborted = AbortSignal.abort()

  await pause(0, new AbortController().signal)
  await pause(-1, new AbortController().signal)
  await pause(1_000_000, aborted)

  expect(aborted.aborted).toBe(true)
})

describe('the text of an error', () => {
  test.each([
    [new Error('words'), 'words'],
    ['words', 'words'],
    [undefined, 'undefined'],
    [404, '404'],
  ])('is known of whatever was thrown', (thrown, words) => {
    expect(errorMessage(thrown)).toBe(words)
  })
})

describe('a batch of events', () => {
  const recorded = (): readonly RecordedEvent[] => {
    const log = memoryLog()
    log.add('s', 'LetterAdded', { ids: ['a'], letter: 'x' })
    log.add('s', 'LetterAdded', { unreadable: true })
    return log.events
  }

  test('is decoded where it is asked for, each event once however many ask', () => {
    const asked: number[] = []
    const batch = eventBatch(recorded(), (event) => {
      asked.push(event.position)
      return decodeLetters(event)
    })

    const first = batch.decoded(0)
    expect(batch.decoded(0)).toBe(first)
    expect(first.ok && first.value.event.data).toEqual({ ids: ['a'], letter: 'x' })
    expect(asked).toEqual([3])
  })

  test('says of an event that cannot be decoded why, to all who ask', () => {
    let tries = 0
    const batch = eventBatch(recorded(), (event) => {
      tries += 1
      return decodeLetters(event)
    })

    const first = batch.decoded(1)
    const again = batch.decoded(1)

    expect(first.ok ? '' : first.error).toMatch(/cannot be read/)
    expect(again).toBe(first)
    expect(tries).toBe(1)
  })

  test('has no events but its own', () => {
    const batch = eventBatch(recorded(), decodeLetters)

    expect(() => batch.decoded(2)).toThrow('no event 2 in a batch of 2')
    expect(() => batch.decoded(-1)).toThrow()
  })
})
