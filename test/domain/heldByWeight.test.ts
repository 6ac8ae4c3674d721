import fc from 'fast-check'
import { expect, test } from 'vitest'
import { heldByWeight } from '../../src/domain/heldByWeight.ts'

test('what was used last stays, up to the weight', () => {
  const held = heldByWeight<string, number>(2_000)
  for (const key of 'abcdefghijk') held.set(key, 1, 100)
  held.get('b')
  held.set('l', 1, 100)

  expect([held.get('a'), held.get('b'), held.get('c'), held.get('l')]).toEqual([
    undefined,
    1,
    undefined,
    1,
  ])
})

test('what is large pushes out what is large and nothing else', () => {
  const held = heldByWeight<string, number>(2_000)
  held.set('small', 1, 10)
  for (let number = 0; number < 50; number += 1) held.set(`large ${number}`, number, 500)

  expect(held.get('small')).toBe(1)
  expect([held.get('large 47'), held.get('large 48'), held.get('large 49')]).toEqual([
    undefined,
    48,
    49,
  ])
})

test('what is asked for again and again is what was used last, until something else is', () => {
  const held = heldByWeight<string, number>(600)
  held.set('a', 1, 100)
  held.set('b', 2, 100)
  held.set('c', 3, 100)

  for (const key of ['a', 'a', 'b', 'b', 'a']) held.get(key)
  held.set('d', 4, 100)
  held.delete('a')
  held.set('e', 5, 100)
  held.set('f', 6, 100)

  expect(['a', 'b', 'c', 'd', 'e', 'f'].map(held.get)).toEqual([
    undefined,
    undefined,
    undefined,
    4,
    5,
    6,
  ])
})

test('what has grown counts with what it weighs now', () => {
  const held = heldByWeight<string, number>(2_000)
  held.set('grows', 1, 10)
  held.set('grows', 1, 900)
  held.set('other', 1, 900)

  expect(held.get('grows')).toBeUndefined()
  expect(held.weight()).toBe(900)
})

const put = fc.record({ key: fc.nat(20), weight: fc.integer({ min: 1, max: 3_000 }) })

test('whatever is put, it weighs no more than it may, but for one that is larger than its half', () =>
  fc.assert(
    fc.property(fc.array(put, { maxLength: 60 }), (puts) => {
      const held = heldByWeight<number, number>(2_000)
      for (const { key, weight } of puts) {
        held.set(key, weight, weight)
        expect(held.get(key)).toBe(weight)
        expect(held.weight()).toBeLessThanOrEqual(1_000 + Math.max(1_000, 3_000))
      }
      const keys = Array.from({ length: 21 }, (_, key) => held.get(key) ?? 0)
      expect(held.weight()).toBe(keys.reduce((sum, weight) => sum + weight, 0))
    }),
  ))
