/** What is said to be needed for a change of a rulebook is what it takes once it is made. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assertRulebookRoom, rulebookBytesMax } from '../../src/commands/rulebook/rulebookRoom.ts'
import { emptyRulebook, evolveRulebook } from '../../src/events/rulebook/rulebook.ts'
import { trimRulebook } from '../../src/events/rulebook/trimRulebook.ts'
import { draws } from '../support/draws.ts'
import { decisionOf, eventsOf, step } from './support/rulebookSteps.ts'

/** What is counted for the places of one recipe, at most, and shared once it is there; and a version that a pin lets go of. */
const slack = 400

test('whatever is published, restored and retired, there is room for it exactly where it fits', () =>
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 60 }), (steps) => {
      const state = emptyRulebook()
      for (const [count, one] of steps.entries()) {
        const before = structuredClone(state)
        const events = eventsOf(decisionOf(one, state, count), state)
        for (const event of events) evolveRulebook(state, event)
        trimRulebook(state, events)
        const grown = state.bytes - before.bytes

        expect(() => assertRulebookRoom(before, events, state.bytes + slack)).not.toThrow()
        if (grown > slack) {
          expect(() => assertRulebookRoom(before, events, state.bytes - slack)).toThrow(/of memory/)
        }
        if (grown < -slack) expect(() => assertRulebookRoom(before, events, 0)).not.toThrow()
      }
    }),
    { numRuns: draws(100) },
  ))

test('a small heap has room for less', () => {
  const mib = 1024 * 1024

  expect(rulebookBytesMax(4_096 * mib)).toBe(192 * mib)
  expect(rulebookBytesMax(128 * mib)).toBe(48 * mib)
})
