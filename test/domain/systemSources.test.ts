import { expect, test } from 'vitest'
import { systemSources } from '../../src/domain/systemSources.ts'

test.each([1, 9, 10, 11, 16, 32])('random gives %i bytes, every bit of them by random', (count) => {
  const draws = Array.from({ length: 200 }, () => systemSources.random.bytes(count))

  const bits = Array.from({ length: 8 * count }, (_, at) =>
    draws.map((bytes) => ((bytes[at >> 3] ?? 0) >> (at & 7)) & 1),
  )
  expect(draws.every((bytes) => bytes.length === count)).toBe(true)
  // a bit that is always the same is no random; 200 draws alike happen once in 2 to the 199
  expect(bits.every((one) => new Set(one).size === 2)).toBe(true)
})
