import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Key, keySet } from '../../src/commands/lists/cachedList.ts'

/** Few values, so that keys meet in the same cells, zero among them. */
const part = fc.oneof(fc.integer({ min: 0, max: 6 }), fc.constantFrom(0xffffffff, 16, 32, 48))
const step = fc.record({ does: fc.constantFrom('add', 'delete'), key: fc.tuple(part, part) })

/** Zero and its neighbour are one key. */
const nameOf = ([high, low]: Key): string => String(high === 0 && low === 0 ? [0, 1] : [high, low])

interface Kept {
  readonly key: Key
  readonly end: number
}

/** What is there after the steps, in plain. */
function lastOf(steps: readonly (Kept & { readonly does: string })[]): readonly Kept[] {
  const plain = new Map<string, Kept>()
  for (const { does, key, end } of steps) {
    plain.delete(nameOf(key))
    if (does === 'add') plain.set(nameOf(key), { key, end })
  }
  return [...plain.values()]
}

const endedIn = (plain: readonly Kept[], second: number): number =>
  plain.filter(({ end }) => end !== 0 && end <= second).length

describe('a set of keys', () => {
  test('has what a plain set has, whatever is added and deleted', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const keys = keySet()
        const plain = new Set<string>()
        for (const { does, key } of steps) {
          keys[does as 'add'](key)
          plain[does as 'add'](nameOf(key))
          expect(keys.size()).toBe(plain.size)
        }
        for (const { key } of steps) expect(keys.has(key)).toBe(plain.has(nameOf(key)))
      }),
    )
  })

  test('knows how many keys have ended, and forgets only what ended before it may', () => {
    const end = fc.integer({ min: 0, max: 40 })
    const change = fc.record({
      does: fc.constantFrom('add' as const, 'delete' as const),
      key: fc.tuple(fc.constant(7), fc.integer({ min: 0, max: 60 })),
      end,
    })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200 }), end, (steps, forgettable) => {
        const keys = keySet(() => forgettable)
        for (const one of steps) keys[one.does](one.key, one.end)
        const plain = lastOf(steps)
        const lost = plain.filter(({ key }) => !keys.has(key))

        expect(lost.filter((one) => one.end === 0 || one.end > forgettable)).toEqual([])
        expect(keys.size()).toBe(plain.length - lost.length)
        // what ended in the last seconds may be counted later
        const soon = keys.ended(forgettable)
        expect(soon + lost.length).toBeLessThanOrEqual(endedIn(plain, forgettable))
        expect(keys.ended(100) + lost.length).toBe(endedIn(plain, 100))
      }),
    )
  })

  test('stays as small as it was where what comes takes the place of what has ended', () => {
    let second = 0
    const keys = keySet(() => second)
    const hash = (index: number): Key => [1, Math.imul(index, 0x9e3779b1) >>> 0]
    for (let index = 0; index < 1_000; index += 1) keys.add(hash(index), 1)
    const before = keys.bytes()

    for (let index = 1_000; index < 100_000; index += 1) {
      second = Math.floor(index / 1_000)
      keys.add(hash(index), second + 1)
    }

    expect(keys.bytes()).toBeLessThanOrEqual(2 * before)
  })

  test.each([
    [0, 32],
    [1, 40],
  ])('of a million keys that end at %i takes at most %i MiB, while it grows, too', (ends, mib) => {
    const keys = keySet()
    let most = 0
    for (let index = 1; index <= 1_000_000; index += 1) {
      const before = keys.bytes()
      keys.add([Math.imul(index, 0x9e3779b1) >>> 0, Math.imul(index, 0x85ebca6b) >>> 0], ends)
      if (keys.bytes() !== before) most = Math.max(most, before + keys.bytes())
    }

    expect(keys.size()).toBe(1_000_000)
    expect(most).toBeLessThanOrEqual(mib * 1024 * 1024)
  })
})
