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

const rules = fc.constantFrom('rul_1', 'rul_2')
const step = fc.oneof(
  fc.record({ kind: fc.constant('publish'), rule: rules, text: fc.nat({ max: texts.length - 1 }) }),
  fc.record({ kind: fc.constant('retire'), rule: rules }),
  // one of the versions that the rule has had, by its number from the last one
  fc.record({
    kind: fc.constantFrom('pin', 'restore'),
    rule: rules,
    back: fc.nat({ max: 3 }),
    recipe: fc.constantFrom('rcp_1', 'rcp_2'),
  }),
  fc.record({ kind: fc.constant('unpin'), recipe: fc.constantFrom('rcp_1', 'rcp_2') }),
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** Turns steps into events, and remembers the versions of each rule. */
function openHistory() {
  const versions = new Map<string, RecordedRuleVersion[]>()
  let made = 0
  const recipe = (recipe_id: string, pinned?: RecordedRuleVersion): RulebookEvent => {
    const member = pinned && { rule_id: pinned.rule_id, version_id: pinned.version_id, weight: 1 }
    const data = { recipe_id, name: 'r', status: 'DRAFT', threshold: 1 } as const
    made += 1
    return {
      type: 'RecipePublished',
      data: {
        ...data,
        version_id: `ver_${made}`,
        rules: member ? [member] : [],
        ...(pinned && { pinned: [pinned] }),
      },
    }
  }
  return (one: Step): RulebookEvent | undefined => {
    if (one.kind === 'unpin') return recipe((one as { recipe: string }).recipe)
    const {
      rule,
      text = 0,
      back = 0,
      recipe: by = '',
    } = one as { rule: string } & Partial<{
      text: number
      back: number
      recipe: string
    }>
    const known = versions.get(rule) ?? []
    versions.set(rule, known)
    if (one.kind === 'retire') return { type: 'RuleRetired', data: { rule_id: rule } }
    if (one.kind === 'publish') {
      made += 1
      const expression = expressionOf(texts[text] ?? '')
      const data = { rule_id: rule, version_id: `ver_${made}`, name: 'r', text: texts[text] ?? '' }
      known.push({ ...data, expression })
      return { type: 'RulePublished', data: { ...data, expression } }
    }
    const earlier = known.at(-1 - back)
    if (!earlier) return undefined
    return one.kind === 'pin' ? recipe(by, earlier) : { type: 'RuleRestored', data: earlier }
  }
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

test('a series is kept from when it came into force and stayed, whatever is published', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const state = createRulebook()
      const toEvent = openHistory()
      const since = new Map<string, number>()
      for (const [timeMs, one] of steps.entries()) {
        const event = toEvent(one)
        if (!event) continue
        evolveRulebook(state, event)
        dateSeries(state.counters, timeMs)

        const inForce = listSeries(state)
        for (const id of since.keys()) if (!inForce.has(id)) since.delete(id)
        for (const id of inForce) if (!since.has(id)) since.set(id, timeMs)
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
  const first = toEvent({ kind: 'publish', rule: 'rul_1', text: 1 })
  const second = toEvent({ kind: 'publish', rule: 'rul_1', text: 4 })
  if (first) evolveRulebook(state, first)
  dateSeries(state.counters, 7)
  const before = new Map(state.counters)

  const branch = branchRulebook(state)
  if (second) evolveRulebook(branch, second)

  expect(branch.counters.size).toBe(3)
  expect(state.counters).toEqual(before)
})
