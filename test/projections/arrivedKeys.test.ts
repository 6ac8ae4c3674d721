/** Which keys of `ext` are known to have arrived, and when it is not known. */

import { expect, test } from 'vitest'
import {
  type ArrivedKeysDocument,
  arrivedKeysMax,
  arrivedKeysProjection,
} from '../../src/projections/analysis/arrivedKeys.ts'

const dayMs = 24 * 60 * 60_000

interface Arrived {
  readonly ext?: readonly string[]
  readonly ext_unnamed?: number
}

/** The document after an evaluation of this day with these keys. */
function fold(
  before: ArrivedKeysDocument | undefined,
  day: number,
  arrived: Arrived = {},
): ArrivedKeysDocument {
  const decoded = {
    event: { type: 'FlowEvaluated', data: { arrived } },
    metadata: { account: 'acc_1', time: day * dayMs + 5 },
  } as never
  const [target = expect.fail()] = arrivedKeysProjection.targets(decoded)
  return arrivedKeysProjection.apply(before as never, decoded, target) as never
}

test('a key is known by the last day on which it arrived', () => {
  const first = fold(undefined, 20, { ext: ['a', '__proto__'] })
  const second = fold(first, 22, { ext: ['b', 'a'] })

  expect(first).toEqual({
    day: 20,
    keys: [
      ['a', 20],
      ['__proto__', 20],
    ],
  })
  expect(second).toEqual({
    day: 22,
    keys: [
      ['a', 22],
      ['__proto__', 20],
      ['b', 22],
    ],
  })
})

test('what changes nothing leaves the document as it is', () => {
  const before = fold(undefined, 20, { ext: ['a'] })

  expect(fold(before, 20, { ext: ['a'] })).toBe(before)
  expect(fold(before, 20)).toBe(before)
  // a clock that was set back
  expect(fold(before, 19, { ext: ['a'] })).toBe(before)
})

test('old keys are forgotten on the next day', () => {
  const before = fold(undefined, 20, { ext: ['a'] })
  const kept = fold(before, 20 + arrivedKeysMax.days)

  expect(kept.keys).toEqual([['a', 20]])
  expect(fold(kept, 21 + arrivedKeysMax.days).keys).toEqual([])
})

test('too many keys are said to be cut, in all and in one evaluation', () => {
  const many = Array.from({ length: arrivedKeysMax.keys }, (_, index) => `k${index}`)
  const full = fold(undefined, 20, { ext: many })
  const few = Array.from({ length: 64 }, (_, index) => `k${index}`)

  expect(full).not.toHaveProperty('left_out')
  const cut = fold(full, 21, { ext: ['one'] })
  expect(cut).toMatchObject({ left_out: 21 })
  expect(fold(cut, 21, { ext: ['other'], ext_unnamed: 0 })).toBe(cut)
  expect(fold(full, 21, { ext: ['k1'] })).not.toHaveProperty('left_out')
  expect(fold(undefined, 20, { ext: few, ext_unnamed: 1 })).toMatchObject({ left_out: 20 })
  // its name says what it is
  expect(fold(undefined, 20, { ext: ['a'], ext_unnamed: 1 })).not.toHaveProperty('left_out')
})
