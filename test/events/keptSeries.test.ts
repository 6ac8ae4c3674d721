import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listCounters } from '../../src/engine/language/counters.ts'
import { dateSeries } from '../../src/events/rulebook/keptSeries.ts'
import {
  createRulebook,
  evolveRulebook,
  parseRuleVersion,
  type RecordedRuleVersion,
  type RulebookEvent,
  type RulebookState,
} from '../../src/events/rulebook/rulebook.ts'
import { branchRulebook } from '../../src/events/rulebook/updateRulebook.ts'
import { expressionOf } from '../engine/support/evaluate.ts'
import { draws } from '../support/draws.ts'

const counted = (key: number, window: string) =>
  `count(evaluations, by(signal.ext.k${key}), "${window}") > 1`
const texts = [
  'true',
  counted(1, '10m'),
  counted(1, '24h'),
  counted(2, '1h'),
  `${counted(1, '1h')} || ${counted(2, '7d')} || ${counted(3, '30d')}`,
]

const kinds = ['publish', 'publish', 'retire', 'pin', 'unpin', 'restore'] as const
const step = fc.record({
  kind: fc.constantFrom(...kinds),
  rule: fc.constantFrom('rul_1', 'rul_2'),
  recipe: fc.constantFrom('rcp_1', 'rcp_2'),
  text: fc.constantFrom(...texts),
  /** The number of an earlier version of the rule, from the last one. */
  back: fc.nat({ max: 3 }),
})
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** Turns steps into events, and remembers the versions of each rule; undefined without an earlier version. */
function openHistory() {
  const versions = new Map<string, RecordedRuleVersion[]>()
  let made = 0
  const publish = (rule_id: string, text: string): RulebookEvent => {
    made += 1
    const data = { rule_id, version_id: `ver_${made}`, name: 'r', text }
    const version = { ...data, expression: expressionOf(text) }
    versions.set(rule_id, [...(versions.get(rule_id) ?? []), version])
    return { type: 'RulePublished', data: version }
  }
  const pin = (recipe_id: string, ...pinned: readonly RecordedRuleVersion[]): RulebookEvent => {
    made += 1
    const rules = pinned.map(({ rule_id, version_id }) => ({ rule_id, version_id, weight: 1 }))
    const data = { recipe_id, version_id: `ver_${made}`, name: 'r', threshold: 1, rules, pinned }
    return { type: 'RecipePublished', data: { ...data, status: 'DRAFT' } }
  }
  const withEarlier = (
    { rule, back }: Step,
    make: (earlier: RecordedRuleVersion) => RulebookEvent,
  ): RulebookEvent | undefined => {
    const earlier = versions.get(rule)?.at(-1 - back)
    return earlier && make(earlier)
  }
  const events: Record<Step['kind'], (one: Step) => RulebookEvent | undefined> = {
    publish: ({ rule, text }) => publish(rule, text),
    retire: ({ rule }) => ({ type: 'RuleRetired', data: { rule_id: rule } }),
    pin: (one) => withEarlier(one, (earlier) => pin(one.recipe, earlier)),
    unpin: ({ recipe }) => pin(recipe),
    restore: (one) => withEarlier(one, (data) => ({ type: 'RuleRestored', data })),
  }
  return (one: Step): RulebookEvent | undefined => events[one.kind](one)
}

/** The series of all versions that are in memory, in the plainest way. */
function listSeries(state: RulebookState): ReadonlySet<string> {
  const versions = [...state.rules.keys()].flatMap((id) => [
    ...(state.rules.get(id)?.versions.values() ?? []),
  ])
  return new Set(
    versions.flatMap((version) =>
      listCounters(parseRuleVersion(version).expression).map(({ series }) => series.id),
    ),
  )
}

/** Since when each series is in force, in the plainest way: what is not any more begins anew. */
function noteSince(since: Map<string, number>, state: RulebookState, timeMs: number): void {
  const inForce = listSeries(state)
  for (const id of since.keys()) if (!inForce.has(id)) since.delete(id)
  for (const id of inForce) if (!since.has(id)) since.set(id, timeMs)
}

test('a series is kept from when it came into force and stayed, whatever is published', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const state = createRulebook()
      const toEvent = openHistory()
      const since = new Map<string, number>()
      for (const [timeMs, one] of steps.entries()) {
        const event = toEvent(one)
        if (event) evolveRulebook(state, event)
        dateSeries(state.counters, timeMs)
        noteSince(since, state, timeMs)

        const kept = [...state.counters].map(([id, { sinceMs }]) => [id, sinceMs] as const)
        expect(new Map(kept)).toEqual(since)
      }
    }),
    { numRuns: draws(300) },
  )
})

test('what is only decided on a branch leaves the rulebook as it was', () => {
  const state = createRulebook()
  const toEvent = openHistory()
  const publish = (text: string) =>
    toEvent({ kind: 'publish', rule: 'rul_1', text, recipe: 'rcp_1', back: 0 }) as RulebookEvent
  evolveRulebook(state, publish(counted(1, '10m')))
  dateSeries(state.counters, 7)
  const before = new Map(state.counters)

  const branch = branchRulebook(state)
  evolveRulebook(branch, publish(texts.at(-1) ?? ''))

  expect(branch.counters.size).toBe(3)
  expect(state.counters).toEqual(before)
})
