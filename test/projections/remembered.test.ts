import fc from 'fast-check'
import { expect, test } from 'vitest'
import { remembered } from '../../src/projections/running/remembered.ts'

test('the last half of the texts is remembered, nothing that was not added, and never more than the limit', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 40 })), (added) => {
      const memory = remembered(10)

      for (const one of added) memory.add(String(one))

      const known = Array.from({ length: 41 }, (_, one) => String(one)).filter(memory.has)
      expect(known.every((one) => added.includes(Number(one)))).toBe(true)
      expect(known.length).toBeLessThanOrEqual(10)
      for (const one of added.slice(-5)) expect(memory.has(String(one))).toBe(true)
    }),
  )
})
