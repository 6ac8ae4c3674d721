/** A sorted list is a set, whatever is added to it and removed. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addSorted, removeSorted } from '../../src/events/rulebook/references.ts'

const text = fc.string({ maxLength: 2 })
const step = fc.record({ add: fc.boolean(), text })

test('it says what a set says, and has what it has, in order', () =>
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const texts: string[] = []
      const set = new Set<string>()

      for (const { add, text } of steps) {
        const isNews = add !== set.has(text)
        expect((add ? addSorted : removeSorted)(texts, text)).toBe(isNews)
        if (add) set.add(text)
        else set.delete(text)
      }

      expect(texts).toEqual([...set].sort())
    }),
  ))
