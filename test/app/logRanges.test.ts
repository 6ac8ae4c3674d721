import fc from 'fast-check'
import { expect, test } from 'vitest'
import { logRanges, rangeSize } from '../../src/queries/audit/replays/replayFolder.ts'

const threads = fc.integer({ min: 1, max: 64 })

test('the ranges are all of the log, in order and each position once', () => {
  fc.assert(
    fc.property(fc.nat({ max: 3_000_000 }), threads, (position, some) => {
      const ranges = logRanges({ after: 0, end: position }, rangeSize(position, some))

      expect(ranges.at(0)?.after ?? 0).toBe(0)
      expect(ranges.at(-1)?.end ?? 0).toBe(position)
      for (const [index, { after, end }] of ranges.entries()) {
        expect(end).toBeGreaterThan(after)
        expect(after).toBe(ranges[index - 1]?.end ?? 0)
      }
    }),
  )
})

test('no thread has more than a tenth more than another, also of a log that is not long', () => {
  for (const [position, some] of [
    [20_150, 2],
    [100_150, 4],
    [1_000_000, 2],
  ] as const) {
    const of = Math.ceil(
      logRanges({ after: 0, end: position }, rangeSize(position, some)).length / some,
    )

    expect(of * rangeSize(position, some) * some).toBeLessThan(position * 1.1)
  }
})

test('a range is of whole batches, and of no more than show how far it is', () => {
  fc.assert(
    fc.property(fc.nat({ max: 1e9 }), threads, (position, some) => {
      const size = rangeSize(position, some)

      expect(size % 500).toBe(0)
      expect(size).toBeGreaterThan(0)
      expect(size).toBeLessThanOrEqual(5_000)
    }),
  )
})
