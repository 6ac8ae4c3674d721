import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { indexNameWarnings, type NamedEntries } from '../../src/state/rulebook/rulebookWarnings.ts'

const entriesOf = (names: ReadonlyMap<string, string | undefined>): NamedEntries => ({
  keys: () => names.keys(),
  get: (id) => {
    const name = names.get(id)
    return { current: name === undefined ? undefined : { name } }
  },
})

const name = fc.constantFrom('Cart', 'cart', 'Large cart', '', undefined)
const names = fc.array(name, { maxLength: 8 }).map((all) => {
  return new Map(all.map((one, at) => [`id${at}`, one]))
})

describe('another of the same name', () => {
  test('is the first that is called so to the letter, and never the resource itself', () => {
    fc.assert(
      fc.property(names, fc.nat({ max: 7 }), (all, at) => {
        const id = `id${at}`
        const called = all.get(id)
        const others = [...all].filter(([other, one]) => other !== id && one === called)

        const [found] = indexNameWarnings('rule', entriesOf(all), new Map([[id, called]]))(id)

        const first = called === undefined ? undefined : others[0]?.[0]
        expect(found?.message).toBe(first && `Another rule has this name: ${first}.`)
      }),
    )
  })

  test('is looked for among so many and no more, that nobody waits for it', () => {
    let asked = 0
    const endless: NamedEntries = {
      keys: function* () {
        for (let at = 0; ; at++) yield `id${at}`
      },
      get: () => {
        asked += 1
        return { current: { name: 'Other' } }
      },
    }

    expect(indexNameWarnings('rule', endless, new Map([['mine', 'Cart']]))('mine')).toEqual([])
    expect(asked).toBeLessThanOrEqual(20_000)
  })
})
