import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { fairCache } from '../../src/domain/fairCache.ts'
import { weightedLru } from '../../src/domain/weightedLru.ts'
import { draws } from '../support/draws.ts'

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

/** The same cache in the plainest form: what is held in the order of use, and whoever holds most found by adding up. */
function plainCache(max: number) {
  let held: { readonly owner: string; readonly key: string; readonly weight: number }[] = []
  let entered: string[] = []
  const sum = (owner?: string): number =>
    held
      .filter((one) => owner === undefined || one.owner === owner)
      .reduce((total, { weight }) => total + weight, 0)
  const without = (owner: string, key: string): void => {
    held = held.filter((one) => one.owner !== owner || one.key !== key)
  }
  const leave = (): void => {
    entered = entered.filter((owner) => sum(owner) > 0)
  }
  const dropOldest = (owner: string): void => {
    const oldest = held.find((one) => one.owner === owner)
    if (oldest) without(owner, oldest.key)
  }
  return {
    get: (owner: string, key: string): number | undefined => {
      const one = held.find((each) => each.owner === owner && each.key === key)
      if (!one) return undefined
      held = [...held.filter((each) => each !== one), one]
      return one.weight
    },
    set: (owner: string, key: string, weight: number): void => {
      without(owner, key)
      if (weight <= max) held.push({ owner, key, weight })
      if (!entered.includes(owner)) entered.push(owner)
      while (sum(owner) > max) dropOldest(owner)
      leave()
      while (sum() > max) {
        const most = Math.max(...entered.map((each) => sum(each)))
        dropOldest(entered.find((each) => sum(each) === most) ?? '')
        leave()
      }
    },
    delete: (owner: string, key: string): void => {
      without(owner, key)
      leave()
    },
  }
}

test('it keeps what the plainest form of it keeps, whoever asks for what', () => {
  const owners = ['a', 'b', 'c', 'd', 'e', 'f']
  const keys = ['1', '2', '3', '4']
  const step = fc.record({
    what: fc.constantFrom('set', 'set', 'get', 'delete'),
    owner: fc.constantFrom(...owners),
    key: fc.constantFrom(...keys),
    weight: fc.integer({ min: 1, max: 21 }),
  })

  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const [cache, plain] = [fairCache<number>(20, weightOf), plainCache(20)]
      for (const { what, owner, key, weight } of steps) {
        for (const one of [cache, plain]) {
          if (what === 'set') one.set(owner, key, weight)
          else one[what as 'get' | 'delete'](owner, key)
        }
        // asked for in one order by both, as it changes the order of use
        const asked = (one: Pick<typeof plain, 'get'>) =>
          owners.flatMap((each) => keys.map((which) => one.get(each, which)))
        expect(asked(cache)).toEqual(asked(plain))
      }
    }),
    { numRuns: draws(200) },
  )
})

test('an owner more in a full cache does not have all others looked at', () => {
  const cache = fairCache<number>(2_000, weightOf)
  for (let index = 0; index < 2_000; index += 1) cache.set(`${index}`, 'key', 1)
  const walked = vi.spyOn(Map.prototype, Symbol.iterator)
  onTestFinished(() => walked.mockRestore())

  for (let index = 0; index < 100; index += 1) cache.set('greedy', `${index}`, 1)

  expect(walked).not.toHaveBeenCalled()
  expect(cache.weight()).toBe(2_000)
})
