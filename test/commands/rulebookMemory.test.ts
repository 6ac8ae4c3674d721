/** What a rulebook in memory holds does not grow with what has been done to it. */

import { expect, test } from 'vitest'
import {
  createRulebook,
  type RulebookEvent,
  type RulebookState,
} from '../../src/events/rulebook/rulebook.ts'
import { loadMissingVersions } from '../../src/state/rulebook/earlierVersions.ts'
import { rulebookStreamType } from '../../src/state/rulebook/rulebookStreams.ts'
import { memoryEventStore } from '../support/memoryEventStore.ts'
import { flowEvent, recipeEvent, ruleEvent } from './support/rulebookEvents.ts'

const text = 'x'.repeat(4_000)

const rule = (version: number, rule_id = 'rul_1') =>
  ruleEvent(rule_id, { version_id: `ver_${version}`, text })
const recipe = (version: number, pinned?: number) => {
  const pin = pinned === undefined ? {} : { version_id: `ver_${pinned}` }
  const members = [{ rule_id: 'rul_1', weight: version % 9, ...pin }]
  return recipeEvent('rcp_1', members, { version_id: `ver_r${version}` })
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
  JSON.stringify([rules, recipes, flows, rest.missing], (_, part) => {
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

test('a version that a recipe pins is held; another is forgotten, and read again when it is pinned', async () => {
  const store = memoryEventStore()
  const stream = 'rulebook-acc_1'
  const log = [rule(1), rule(2), rule(3), rule(4)]
  const metadata = JSON.stringify({ command: 'c', time: 1 })
  for (const [index, event] of log.entries()) {
    const id = `00000000-0000-5000-8000-00000000000${index}`
    const one = { id, type: event.type, data: JSON.stringify(event), metadata }
    await store.append({
      stream,
      events: [one],
      expected: index === 0 ? 'no_stream' : index - 1,
    })
  }
  const decode = ({ data, revision, position }: (typeof store.log)[number]) =>
    ({ event: JSON.parse(data), metadata: {}, stream, revision, position }) as never
  const places: (string | undefined)[] = []
  const revisionOf = async (key: string) => {
    places.push(key)
    return undefined
  }
  const state = folded([rule(1), recipe(1, 1), rule(2), rule(3), rule(4)])
  const versions = () => [...(state.rules.get('rul_1')?.versions.keys() ?? [])].sort()
  expect(versions()).toEqual(['ver_1', 'ver_4'])

  folded([recipe(2, 2)], state)
  expect(versions()).toEqual(['ver_4'])
  expect(rulebookStreamType.lacks?.(state)).toBe(true)
  await loadMissingVersions({ store, decode, revisionOf, isIndexed: () => true }, stream, state)

  expect(versions()).toEqual(['ver_2', 'ver_4'])
  expect(rulebookStreamType.lacks?.(state)).toBe(false)
  expect(state.rules.get('rul_1')?.versions.get('ver_2')?.text).toBe(text)
  expect(places).toEqual(['rul_1/ver_2'])
})
