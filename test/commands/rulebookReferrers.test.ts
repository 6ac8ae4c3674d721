import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  createRulebook,
  evolveRulebook,
  type RulebookEntry,
  type RulebookEvent,
} from '../../src/events/rulebook/rulebook.ts'
import { draws } from '../support/draws.ts'
import { decisionOf, eventsOf, ownStep } from './support/rulebookHistory.ts'

/** Who names whom, read from what is current. */
function namedBy(
  things: ReadonlyMap<string, RulebookEntry<unknown>>,
  referrers: ReadonlyMap<string, RulebookEntry<never>>,
  namesOf: (current: never) => readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const named = new Map([...things.keys()].map((id) => [id, new Set<string>()]))
  for (const [referrer, { current }] of referrers) {
    for (const id of current === undefined ? [] : namesOf(current)) named.get(id)?.add(referrer)
  }
  return new Map([...named].map(([id, by]) => [id, [...by].sort()]))
}

const referrersIn = (things: ReadonlyMap<string, RulebookEntry<unknown>>) =>
  new Map([...things].map(([id, { referrers }]) => [id, [...referrers.keys()].sort()]))

test('whatever is published, restored and retired, everything named is there and knows by whom', () =>
  fc.assert(
    fc.property(fc.array(ownStep, { minLength: 30, maxLength: 90 }), (steps) => {
      const state = createRulebook()
      const log: RulebookEvent[] = []
      for (const [count, one] of steps.entries()) {
        const events = eventsOf(decisionOf(one, count), state)
        for (const event of events) evolveRulebook(state, event)
        log.push(...structuredClone(events))

        const { rules, recipes, flows } = state
        const ofRules = namedBy(
          rules,
          recipes as never,
          (recipe: { rules: { rule_id: string }[] }) => recipe.rules.map(({ rule_id }) => rule_id),
        )
        const ofRecipes = namedBy(
          recipes,
          flows as never,
          (flow: { recipes: string[] }) => flow.recipes,
        )
        expect(referrersIn(rules)).toEqual(ofRules)
        expect(referrersIn(recipes)).toEqual(ofRecipes)
        for (const [id, referrers] of [...ofRules, ...ofRecipes]) {
          const there = (rules.get(id) ?? recipes.get(id))?.current !== undefined
          expect(there || referrers.length === 0).toBe(true)
        }
      }

      expect(log.reduce(evolveRulebook, createRulebook())).toEqual(state)
    }),
    { numRuns: draws(300) },
  ))
