import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  duplicateIn,
  indexDuplicates,
  type Named,
  nameWarnings,
} from '../../src/commands/rulebook/saveWarnings.ts'

const named = (names: ReadonlyMap<string, string | undefined>): Named => ({
  ids: () => names.keys(),
  nameOf: (id) => names.get(id),
})

const name = fc.constantFrom('Cart', 'cart', 'Large cart', '', undefined)
const names = fc.array(name, { maxLength: 8 }).map((all) => {
  return new Map(all.map((one, at) => [`id${at}`, one]))
})

describe('another of the same name', () => {
  test('is one that is called so to the letter, and never the thing itself', () => {
    fc.assert(
      fc.property(names, fc.nat({ max: 7 }), (all, at) => {
        const id = `id${at}`
        const called = all.get(id)
        fc.pre(called !== undefined)
        const others = [...all].filter(([other, one]) => other !== id && one === called)

        const found = duplicateIn(named(all), id, called)

        expect(found).toBe(others[0]?.[0])
      }),
    )
  })

  test('is found in an index as it is by looking through all of them', () => {
    fc.assert(
      fc.property(names, (all) => {
        const indexed = indexDuplicates(named(all), new Map())
        for (const [id, called] of all) {
          if (called === undefined) continue

          expect(indexed(id, called) === undefined).toBe(
            duplicateIn(named(all), id, called) === undefined,
          )
          expect(all.get(indexed(id, called) ?? id)).toBe(called)
          expect(indexed(id, called)).not.toBe(id)
        }
      }),
    )
  })

  test('in a change is what it is called after it', () => {
    const before = named(
      new Map([
        ['a', 'Cart'],
        ['b', 'Other'],
        ['c', 'Third'],
      ]),
    )

    const duplicateOf = indexDuplicates(
      before,
      new Map([
        ['a', 'Other'],
        ['b', 'Fourth'],
        ['d', 'Third'],
      ]),
    )

    expect(duplicateOf('a', 'Other')).toBeUndefined()
    expect(duplicateOf('d', 'Third')).toBe('c')
    expect(duplicateOf('c', 'Third')).toBe('d')
  })

  test('is looked for among so many and no more, that nobody waits for it', () => {
    let asked = 0
    const endless: Named = {
      ids: function* () {
        for (let at = 0; ; at++) yield `id${at}`
      },
      nameOf: () => {
        asked += 1
        return 'Other'
      },
    }

    expect(duplicateIn(endless, 'mine', 'Cart')).toBeUndefined()
    expect(indexDuplicates(endless, new Map([['mine', 'Cart']]))('mine', 'Cart')).toBeUndefined()
    expect(asked).toBeLessThanOrEqual(40_000)
  })
})

test('the warning names the other where that has an id of its own', () => {
  expect(nameWarnings('rule', undefined)).toEqual([])
  expect(nameWarnings('rule', 'rul_1')).toEqual([
    { code: 'duplicate_name', path: 'name', message: 'Another rule has this name: rul_1.' },
  ])
  expect(nameWarnings('flow', 'flo_1', true)[0]?.message).toBe(
    'Another flow of the request has this name.',
  )
})
