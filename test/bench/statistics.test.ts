import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { median, quantile, ratios, spreadOf } from '../../bench/statistics.ts'

const values = fc.array(fc.integer({ min: -1e6, max: 1e6 }), { minLength: 1 })

describe('the median', () => {
  test.each([
    { given: [3], expected: 3 },
    { given: [9, 1, 5], expected: 5 },
    { given: [4, 1, 3, 2], expected: 2.5 },
  ])('of $given is $expected', ({ given, expected }) => {
    expect(median(given)).toBe(expected)
  })

  test('does not change the values it is taken of', () => {
    const given = [3, 1, 2]

    median(given)

    expect(given).toEqual([3, 1, 2])
  })

  test('of nothing is an error, not a number', () => {
    expect(() => median([])).toThrow('no values')
  })
})

describe('a quantile', () => {
  test.each([
    { share: 0, expected: 10 },
    { share: 0.25, expected: 20 },
    { share: 0.99, expected: 49.6 },
    { share: 1, expected: 50 },
  ])('at $share is $expected', ({ share, expected }) => {
    expect(quantile([50, 10, 40, 20, 30], share)).toBeCloseTo(expected, 10)
  })

  test('lies between the extremes and rises with its share', () => {
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (given, share) => {
        const found = quantile(given, share)

        expect(found).toBeGreaterThanOrEqual(Math.min(...given))
        expect(found).toBeLessThanOrEqual(quantile(given, 1))
        expect(quantile(given, share / 2)).toBeLessThanOrEqual(found + 1e-6)
      }),
    )
  })
})

test('the spread is in order', () => {
  fc.assert(
    fc.property(values, (given) => {
      const { min, lower, median: middle, upper, max } = spreadOf(given)

      const found = [min, lower, middle, upper, max]

      for (let at = 1; at < found.length; at += 1) {
        expect(found[at]).toBeGreaterThanOrEqual((found[at - 1] as number) - 1e-6)
      }
      expect(min).toBe(Math.min(...given))
      expect(max).toBe(Math.max(...given))
    }),
  )
})

describe('ratios', () => {
  test('are taken round by round', () => {
    expect(ratios([10, 30], [5, 10])).toEqual([2, 3])
  })

  test('need as many rounds on both sides', () => {
    expect(() => ratios([1, 2], [1])).toThrow('not as many')
  })
})
