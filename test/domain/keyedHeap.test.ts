import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keyedHeap } from '../../src/domain/keyedHeap.ts'

const isLarger = (one: number, other: number): boolean => one > other

test('whatever is ranked, ranked anew and deleted, the first is one of the largest rank', () => {
  const step = fc.tuple(fc.constantFrom('set', 'set', 'delete'), fc.nat(12), fc.nat(20))

  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const heap = keyedHeap<number, number>(isLarger)
      const model = new Map<number, number>()
      for (const [what, key, rank] of steps) {
        if (what === 'set') {
          heap.set(key, rank)
          model.set(key, rank)
        } else {
          heap.delete(key)
          model.delete(key)
        }
        const first = heap.first()
        const largest = model.size === 0 ? undefined : Math.max(...model.values())
        expect(first === undefined ? undefined : model.get(first)).toBe(largest)
      }
    }),
  )
})

test('a change among many keys costs as many comparisons as their number has digits', () => {
  let compared = 0
  const heap = keyedHeap<number, number>((one, other) => {
    compared += 1
    return one > other
  })
  const keys = 20_000
  for (let key = 0; key < keys; key += 1) heap.set(key, key)
  const most = 4 * Math.ceil(Math.log2(keys))

  const costs: number[] = []
  const costing = (act: () => void): void => {
    compared = 0
    act()
    costs.push(compared)
  }
  for (let key = 0; key < keys; key += 1) {
    const other = (key * 7_919) % keys
    costing(() => heap.set(other, key % 3))
    costing(() => heap.delete(heap.first() ?? 0))
    costing(() => heap.set(keys + key, key % 5))
  }

  expect(costs).toHaveLength(3 * keys)
  expect(Math.max(...costs)).toBeLessThanOrEqual(most)
})
