import { describe, expect, test } from 'vitest'
import { median, quantile, ratios } from '../../bench/statistics.ts'

describe('the median', () => {
  test.each([
    { given: [3], expected: 3 },
    { given: [9, 1, 5], expected: 5 },
    { given: [4, 1, 3, 2], expected: 2.5 },
  ])('of $given is $expected', ({ given, expected }) => {
    expect(median(given)).toBe(expected)
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
})

describe('ratios', () => {
  test('are taken round by round', () => {
    expect(ratios([10, 30], [5, 10])).toEqual([2, 3])
  })

  test('need as many rounds on both sides', () => {
    expect(() => ratios([1, 2], [1])).toThrow('not as many')
  })
})
