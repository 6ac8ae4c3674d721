import fc from 'fast-check'
import { expect, test } from 'vitest'
import { restoreRule } from '../../src/commands/rulebook/rules.ts'
import {
  type Entry,
  emptyRulebook,
  evolveRulebook,
  type RulebookEvent,
  type RuleVersion,
  ruleOf,
} from '../../src/events/rulebook/rulebook.ts'
import { draws } from '../support/draws.ts'
import { decisionOf, eventsOf, step } from './support/rulebookSteps.ts'

/** Who names whom, read from what is current. */
function namedBy(
  things: ReadonlyMap<string, Entry<unknown>>,
  referrers: ReadonlyMap<string, Entry<never>>,
  namesOf: (current: never) => readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const named = new Map([...things.keys()].map((id) => [id, new Set<string>()]))
  for (const [referrer, { current }] of referrers) {
    for (const id of current === undefined ? [] : namesOf(current)) named.get(id)?.add(referrer)
  }
  return new Map([...named].map(([id, by]) => [id, [...by].sort()]))
}

const referrersIn = (things: ReadonlyMap<string, Entry<unknown>>) =>
  new Map([...things].map(([id, { referrers }]) => [id, referrers]))

test('whatever is published, restored and retired, everything named is there and knows by whom', () =>
  fc.assert(
    fc.property(fc.array(step, { minLength: 30, maxLength: 90 }), (steps) => {
      const state = emptyRulebook()
      const log: RulebookEvent[] = []
      for (const [count, one] of steps.entries()) {
        const events = eventsOf(decisionOf(one, state, count), state)
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

      expect(log.reduce(evolveRulebook, emptyRulebook())).toEqual(state)
    }),
    { numRuns: draws(300) },
  ))

test('what is restored is what the version said, under the version’s id', () =>
  fc.assert(
    fc.property(
      fc.array(fc.nat(4), { minLength: 2, maxLength: 6 }),
      fc.nat(5),
      (contents, pick) => {
        const state = emptyRulebook()
        const published = contents.map((of, count) => {
          const decide = decisionOf({ kind: 'rules', what: 'publish', at: 0, of }, state, count)
          decide(state).reduce(evolveRulebook, state)
          return state.rules.get('rules_0')?.current as RuleVersion
        })
        const versions = [...new Set(published)]
        const entry = state.rules.get('rules_0')
        const wanted = versions[pick % versions.length]
        const current = entry?.current

        const events = restoreRule('rules_0', wanted && ruleOf(wanted))(state)
        for (const event of events) evolveRulebook(state, event)

        expect(events).toHaveLength(wanted === current ? 0 : 1)
        expect(entry?.current).toEqual(wanted)
        expect(entry?.versions.size).toBe(1)
      },
    ),
  ))
