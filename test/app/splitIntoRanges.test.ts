import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitIntoRanges } from '../../src/queries/audit/replays/replayFolder.ts'

test('the ranges are all of the log, in order and each position once', () => {
  const size = fc.integer({ min: 1_000, max: 5_000 })
  fc.assert(
    fc.property(fc.nat({ max: 3_000_000 }), size, (position, positions) => {
      const ranges = splitIntoRanges({ after: 0, end: position }, positions)

      expect(ranges.at(0)?.after ?? 0).toBe(0)
      expect(ranges.at(-1)?.end ?? 0).toBe(position)
      for (const [index, { after, end }] of ranges.entries()) {
        expect(end).toBeGreaterThan(after)
        expect(after).toBe(ranges[index - 1]?.end ?? 0)
      }
    }),
  )
})
