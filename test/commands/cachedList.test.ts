/** The keys of a cached list are a set in little memory. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPrefixSet, type DigestPrefix } from '../../src/commands/lists/cachedList.ts'

/** Few values, so that keys meet in the same cells, zero among them. */
const part = fc.oneof(fc.integer({ min: 0, max: 6 }), fc.constantFrom(0xffffffff, 16, 32, 48))
const step = fc.record({ does: fc.constantFrom('add', 'delete'), key: fc.tuple(part, part) })

/** Zero and its neighbour are one key. */
const nameOf = ([high, low]: DigestPrefix): string =>
  String(high === 0 && low === 0 ? [0, 1] : [high, low])

describe('a set of keys', () => {
  test('has what a plain set has, whatever is added and deleted', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const keys = createPrefixSet()
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

  test('of a million keys takes at most 24 MiB, while it grows, too', () => {
    const keys = createPrefixSet()
    let most = 0
    for (let index = 1; index <= 1_000_000; index += 1) {
      const before = keys.bytes()
      keys.add([Math.imul(index, 0x9e3779b1) >>> 0, Math.imul(index, 0x85ebca6b) >>> 0])
      if (keys.bytes() !== before) most = Math.max(most, before + keys.bytes())
    }

    expect(keys.size()).toBe(1_000_000)
    expect(most).toBeLessThanOrEqual(24 * 1024 * 1024)
  })
})
