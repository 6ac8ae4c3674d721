/** The keys of a cached list are a set in little memory. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createCachedList } from '../../src/state/lists/listDigestSet.ts'

const bytes = Buffer.alloc(8)

function digestOf(high: number, low: number): string {
  bytes.writeUInt32LE(low, 0)
  bytes.writeUInt32LE(high, 4)
  return bytes.toString('base64url')
}

/** Few values, so that keys meet in the same cells, zero among them. */
const part = fc.oneof(fc.integer({ min: 0, max: 6 }), fc.constantFrom(0xffffffff, 16, 32, 48))
const step = fc.record({ does: fc.constantFrom('add', 'delete'), key: fc.tuple(part, part) })

/** Zero and its neighbour are one key. */
const nameOf = ([high, low]: readonly [number, number]): string =>
  digestOf(high, high === 0 && low === 0 ? 1 : low)

describe('a cached list', () => {
  test('has what a plain set has, whatever is added and deleted', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const list = createCachedList()
        const plain = new Set<string>()
        for (const { does, key } of steps) {
          list[does as 'add']({ subject: digestOf(...key) })
          plain[does as 'add'](nameOf(key))
          expect(list.size()).toBe(plain.size)
        }
        for (const { key } of steps) {
          expect(list.has(digestOf(...key))).toBe(plain.has(nameOf(key)))
        }
      }),
    )
  })

  test('of a million keys takes at most 24 MiB, while it grows, too', () => {
    const list = createCachedList()
    let most = 0
    for (let index = 1; index <= 1_000_000; index += 1) {
      const before = list.bytes()
      const [high, low] = [Math.imul(index, 0x85ebca6b) >>> 0, Math.imul(index, 0x9e3779b1) >>> 0]
      list.add({ subject: digestOf(high, low) })
      if (list.bytes() !== before) most = Math.max(most, before + list.bytes())
    }

    expect(list.size()).toBe(1_000_000)
    expect(most).toBeLessThanOrEqual(24 * 1024 * 1024)
  })
})
