/** A sorted list is a set, whatever is added to it and removed. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addSorted, removeSorted } from '../../src/events/rulebook/updateRulebook.ts'

const text = fc.string({ maxLength: 2 })
const step = fc.record({ add: fc.boolean(), text })

test('it has what a set has, in order', () =>
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const texts: string[] = []
      const set = new Set<string>()

      for (const { add, text } of steps) {
        if (add) {
          addSorted(texts, text)
          set.add(text)
        } else {
          removeSorted(texts, text)
          set.delete(text)
        }
      }

      expect(texts).toEqual([...set].sort())
    }),
  ))
