import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fairCache } from '../../src/domain/fairCache.ts'
import { weightedLru } from '../../src/domain/weightedLru.ts'

const weightOf = (value: number): number => value

test('what weighs too much together is forgotten, that which was not asked for longest first', () => {
  const held = weightedLru<string, number>(10, weightOf)
  held.set('a', 4)
  held.set('b', 4)
  held.get('a')

  held.set('c', 6)

  expect([held.get('a'), held.get('b'), held.get('c')]).toEqual([4, undefined, 6])
  expect(held.weight()).toBe(10)
})

test('what is asked for again and again is what was used last, until something else is', () => {
  const held = weightedLru<string, number>(3, () => 1)
  for (const key of ['a', 'b', 'c']) held.set(key, 1)
  for (const key of ['c', 'a', 'a', 'b', 'a']) held.get(key)

  held.set('d', 1)
  held.delete('d')
  held.set('e', 1)
  held.set('f', 1)

  expect(['a', 'b', 'c', 'd', 'e', 'f'].map(held.get)).toEqual([
    1,
    undefined,
    undefined,
    undefined,
    1,
    1,
  ])
})

test('what alone weighs too much is not kept, nor what stood under its key', () => {
  const held = weightedLru<string, number>(10, weightOf)
  held.set('a', 4)

  held.set('a', 11)

  expect(held.get('a')).toBeUndefined()
  expect(held.weight()).toBe(0)
})

test('however much one owner asks for, what others hold less of stays', () => {
  const cache = fairCache<number>(100, weightOf)
  cache.set('small', 'plan', 30)

  for (let index = 0; index < 1000; index += 1) cache.set('greedy', `${index}`, 7)

  expect(cache.get('small', 'plan')).toBe(30)
  expect(cache.get('greedy', '999')).toBe(7)
  expect(cache.get('greedy', '0')).toBeUndefined()
})

test('an owner alone may use all of it, and gives up what others come to need', () => {
  const cache = fairCache<number>(100, weightOf)
  for (let index = 0; index < 10; index += 1) cache.set('first', `${index}`, 10)

  for (let index = 0; index < 10; index += 1) cache.set('second', `${index}`, 10)

  const kept = (owner: string) =>
    Array.from({ length: 10 }, (_, index) => cache.get(owner, `${index}`)).filter(Boolean).length
  expect([kept('first'), kept('second')]).toEqual([5, 5])
})

test('whatever is set and deleted, the weight is that of what is held and within the bound', () => {
  const owner = fc.constantFrom('a', 'b', 'c')
  const key = fc.constantFrom('1', '2', '3')
  const step = fc.tuple(fc.constantFrom('set', 'get', 'delete'), owner, key, fc.nat(12))

  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const cache = fairCache<number>(20, weightOf)
      for (const [what, whose, which, weight] of steps) {
        if (what === 'set') cache.set(whose, which, weight)
        else cache[what as 'get' | 'delete'](whose, which)
        const all = ['a', 'b', 'c'].flatMap((each) =>
          ['1', '2', '3'].map((one) => cache.get(each, one) ?? 0),
        )
        expect(cache.weight()).toBe(all.reduce((sum, one) => sum + one, 0))
        expect(cache.weight()).toBeLessThanOrEqual(20)
      }
    }),
  )
})
