/** What a rulebook in memory holds does not grow with what has been done to it. */

import { expect, test } from 'vitest'
import {
  createRulebook,
  type RulebookEvent,
  type RulebookState,
} from '../../src/events/rulebook/rulebook.ts'
import { rulebookStreamType } from '../../src/state/rulebook/rulebookStreams.ts'
import { flowEvent, recipeEvent, ruleEvent } from './support/rulebookEvents.ts'

const text = 'x'.repeat(4_000)

const rule = (version: number, rule_id = 'rul_1') =>
  ruleEvent(rule_id, { version_id: `ver_${version}`, text })
const recipe = (version: number, pins?: number) => {
  const version_id = `ver_r${version}`
  const member = { rule_id: 'rul_1', weight: version % 9 }
  if (pins === undefined) return recipeEvent('rcp_1', [member], { version_id })
  const pinned = [rule(pins).data]
  return recipeEvent('rcp_1', [{ ...member, version_id: `ver_${pins}` }], { version_id, pinned })
}
const flow = (version: number) => flowEvent('flo_1', ['rcp_1'], { version_id: `ver_f${version}` })

function folded(
  events: readonly RulebookEvent[],
  state: RulebookState = createRulebook(),
): RulebookState {
  return events.reduce(rulebookStreamType.evolve, state)
}

/** Everything in memory, as a measure does not know it. */
const textOf = ({ rules, recipes, flows, ...rest }: RulebookState) =>
  JSON.stringify([rules, recipes, flows, rest.lists], (_, part) => {
    if (part instanceof Map) return [...part]
    return part instanceof Set ? [...part] : part
  }).length

const puts = (count: number) =>
  Array.from({ length: count }, (_, index) => 10_000 + index).flatMap((version) => [
    rule(version),
    recipe(version, version % 2 === 0 ? version : undefined),
    flow(version),
  ])

test('two thousand changes of a rule, a recipe and a flow weigh no more than twenty', () => {
  const [few, many] = [folded(puts(20)), folded(puts(2_000))]

  expect(textOf(many)).toBe(textOf(few))
  expect(many.size).toEqual(few.size)
  expect(many.rules.get('rul_1')?.versions.size).toBe(1)
})

test('what is made and deleted again leaves little more than its id', () => {
  const gone = Array.from({ length: 1_000 }, (_, index): RulebookEvent[] => [
    rule(1, `rul_${index}`),
    { type: 'RuleRetired', data: { rule_id: `rul_${index}` } },
  ])

  expect(textOf(folded(gone.flat())) / 1_000).toBeLessThan(80)
})

test('given a rule of four versions, when a recipe pins the first and then the second, then only that one and the current one are in memory', () => {
  const state = folded([rule(1), recipe(1, 1), rule(2), rule(3), rule(4)])
  const versions = () => [...(state.rules.get('rul_1')?.versions.keys() ?? [])].sort()
  expect(versions()).toEqual(['ver_1', 'ver_4'])

  folded([recipe(2, 2)], state)

  expect(versions()).toEqual(['ver_2', 'ver_4'])
  expect(state.rules.get('rul_1')?.versions.get('ver_2')?.text).toBe(text)
  expect(state.size.text).toBe(2 * (text.length + 'n'.length) + 'n'.length)
})
