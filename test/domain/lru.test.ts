import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lru } from '../../src/domain/lru.ts'

type Step = readonly ['get' | 'set' | 'delete', number]

const steps = fc.array(fc.tuple(fc.constantFrom('get', 'set', 'delete'), fc.nat(7)))

/** The same, as slow and plain as can be: the entries in the order of their use. */
function model(max: number) {
  let entries: readonly (readonly [number, string])[] = []
  const valueUnder = (key: number) => entries.find(([other]) => other === key)?.[1]
  const without = (key: number) => entries.filter(([other]) => other !== key)
  return {
    get: (key: number) => {
      const value = valueUnder(key)
      if (value !== undefined) entries = [...without(key), [key, value]]
      return value
    },
    set: (key: number, value: string) => {
      entries = [...without(key), [key, value] as const].slice(-max)
    },
    delete: (key: number) => {
      entries = without(key)
    },
    has: (key: number) => valueUnder(key) !== undefined,
  }
}

test('holds what was used last, whatever was done in which order', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), steps, (max, done: readonly Step[]) => {
      const held = lru<number, string>(max)
      const expected = model(max)

      for (const [index, [what, key]] of done.entries()) {
        if (what === 'get') expect(held.get(key)).toBe(expected.get(key))
        else if (what === 'set') {
          held.set(key, `value ${index}`)
          expected.set(key, `value ${index}`)
        } else {
          held.delete(key)
          expected.delete(key)
        }
      }

      const keys = Array.from({ length: 8 }, (_, key) => key)
      expect(keys.filter((key) => held.get(key) !== undefined)).toEqual(keys.filter(expected.has))
    }),
  )
})
