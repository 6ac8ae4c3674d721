/** An answer that is made step by step says something at least every ten seconds, and ends with its caller. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { streamFolded } from '../../src/http/analysis/scanAnswer.ts'
import type { ScanStep } from '../../src/queries/analysis/scan/scan.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Steps that are made when they are told. */
function openSteps() {
  const waiting: ((step: ScanStep<number>) => void)[] = []
  const state = { isEnded: false }
  async function* steps(): AsyncGenerator<ScanStep<number>, void, undefined> {
    try {
      for (let count = 0; count < 2; count += 1) {
        yield await new Promise<ScanStep<number>>((resolve) => waiting.push(resolve))
      }
    } finally {
      state.isEnded = true
    }
  }
  const tell = (folded: number) =>
    waiting.shift()?.({ folded, scanned: 1, matched: 1, done: 0.5, reachedMs: 0 })
  return { steps: steps(), tell, state }
}

const sumOf = () => {
  const added: number[] = []
  return { add: (folded: number) => void added.push(folded), result: () => ({ added }) }
}

test.each(['json', 'ndjson'] as const)(
  'of %s each step counts once, with spaces between',
  async (format) => {
    const { steps, tell } = openSteps()
    const chunks = streamFolded(steps, format, sumOf())
    const parts: string[] = []
    const take = async () => parts.push((await chunks.next()).value ?? '')

    const silent = take()
    await vi.advanceTimersByTimeAsync(10_000)
    await silent
    const first = take()
    await vi.advanceTimersByTimeAsync(9_999)
    tell(1)
    await first
    const again = take()
    await vi.advanceTimersByTimeAsync(10_000)
    await again
    const second = take()
    await vi.advanceTimersByTimeAsync(0)
    tell(2)
    await second
    await take()

    expect(parts[0]).toBe(' ')
    expect(parts[2]).toBe(' ')
    const lines = parts.join('').trim().split('\n')
    const last = JSON.parse(lines.at(-1) ?? '')
    expect(format === 'json' ? last : last.result).toEqual({ added: [1, 2] })
    expect(lines.map((line) => JSON.parse(line))).toHaveLength(format === 'json' ? 1 : 3)
  },
)

test('steps that fail fail the answer', async () => {
  // biome-ignore lint/correctness/useYield: it fails before the first step
  const failing = (async function* (): AsyncGenerator<ScanStep<number>, void, undefined> {
    throw new Error('broken')
  })()

  await expect(streamFolded(failing, 'json', sumOf()).next()).rejects.toThrow('broken')
})

test('a caller who goes ends the steps', async () => {
  const { steps, tell, state } = openSteps()
  const chunks = streamFolded(steps, 'json', sumOf())
  const silent = chunks.next()
  await vi.advanceTimersByTimeAsync(10_000)
  await silent

  const gone = chunks.return()
  tell(1)
  await gone

  expect(state.isEnded).toBe(true)
})
