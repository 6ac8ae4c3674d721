/** A change that would make a rulebook larger than it may be is refused; whatever makes it no larger is not. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createRulebook,
  evolveRulebook,
  type RulebookEvent,
  type RulebookSize,
  type RulebookState,
} from '../../src/events/rulebook/rulebook.ts'
import { rulebookLimits } from '../../src/state/rulebook/rulebookLimits.ts'
import { assertRulebookLimits } from '../../src/state/rulebook/rulebookStreams.ts'
import { draws } from '../support/draws.ts'
import { flowEvent, recipeEvent, ruleEvent } from './support/rulebookEvents.ts'
import { decisionOf, eventsOf, ownStep } from './support/rulebookHistory.ts'

const rule = (rule_id: string, text: string) =>
  ruleEvent(rule_id, { version_id: `ver_${text.length}`, name: 'rule', text })
const recipe = (rules: number) =>
  recipeEvent(
    'rcp_1',
    Array.from({ length: rules }, (_, at) => `rul_${at}`),
    { version_id: `ver_${rules}`, name: 'recipe' },
  )

/** A rulebook of one rule and one recipe that is said to hold so much. */
function holding(size: Partial<RulebookSize>): RulebookState {
  const state = [rule('rul_1', 'text'), recipe(1)].reduce<RulebookState>(
    evolveRulebook,
    createRulebook(),
  )
  return Object.assign(state, { size: { ...state.size, ...size } })
}

describe('a rulebook that is full', () => {
  const rows: readonly (readonly [kind: keyof RulebookSize, grows: RulebookEvent, says: RegExp])[] =
    [
      ['memberships', recipe(2), /may have 500000 rules in all recipes together/],
      ['text', rule('rul_1', 'longer'), /may have 16000000 characters of names/],
      ['compiled', rule('rul_2', ''), /may have 64000000 characters of rules as they are compiled/],
    ]

  test.each(rows)('of %s takes no more of them', (kind, grows, says) => {
    const [full, almost] = [rulebookLimits[kind], rulebookLimits[kind] - 1_000]

    expect(() => assertRulebookLimits(holding({ [kind]: full }), [grows])).toThrow(says)
    expect(() => assertRulebookLimits(holding({ [kind]: almost }), [grows])).not.toThrow()
  })

  test('may be made smaller, also when it holds more than it may', () => {
    const size = { memberships: 9_000_000, text: 90_000_000, compiled: 90_000_000 }
    const state = holding(size)
    const smaller = [rule('rul_1', 'te'), recipe(0)]

    expect(() => assertRulebookLimits(state, smaller)).not.toThrow()
    expect(state.size).toEqual(size)
  })

  test('counts what was ever made, deleted or not', () => {
    const made = Array.from({ length: rulebookLimits.flows }, (_, at): RulebookEvent[] => [
      flowEvent(`flo_${at}`, []),
      { type: 'FlowRetired', data: { flow_id: `flo_${at}` } },
    ])
    const state = made.flat().reduce<RulebookState>(evolveRulebook, createRulebook())

    expect(() => assertRulebookLimits(state, [flowEvent('flo_more', [])])).toThrow(
      'An account may have 10000 flows, deleted ones included, and would have 10001.',
    )
  })
})

test('whatever is published, restored and retired, what is counted is what is held', () =>
  fc.assert(
    fc.property(fc.array(ownStep, { minLength: 10, maxLength: 60 }), (steps) => {
      const state = createRulebook()
      for (const [count, one] of steps.entries()) {
        for (const event of eventsOf(decisionOf(one, count), state)) {
          evolveRulebook(state, event)
        }
      }
      const rules = [...state.rules.values()].flatMap(({ versions }) => [...versions.values()])
      const recipes = [...state.recipes.values()].flatMap(({ current }) => current ?? [])
      const flows = [...state.flows.values()].flatMap(({ current }) => current ?? [])
      const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)

      expect(state.size).toEqual({
        memberships: sum(recipes.map((one) => one.rules.length)),
        text:
          sum([...rules, ...recipes, ...flows].map(({ name }) => name.length)) +
          sum(rules.map((one) => one.text.length)),
        compiled: sum(rules.map((one) => one.expression.length)),
      })
    }),
    { numRuns: draws(100) },
  ))
