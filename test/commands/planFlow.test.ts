import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  openCompiledPlans,
  openPlans,
  type ReadyPlan,
} from '../../src/commands/evaluation/plans.ts'
import type { Expression } from '../../src/engine/language/expression.ts'
import { emptyManagedRulebook } from '../../src/events/rulebook/managedRulebook.ts'
import {
  emptyRulebook,
  evolveRulebook,
  type Membership,
  type RulebookEvent,
} from '../../src/events/rulebook/rulebook.ts'
import { draws } from '../support/draws.ts'
import { after } from './support/outcome.ts'
import { planFlow } from './support/planFlow.ts'
import { historyStep, newHistory, settledStart } from './support/rulebookHistory.ts'

const literal = (value: boolean | string): Expression =>
  typeof value === 'boolean'
    ? { kind: 'literal', type: 'bool', value, at: [1, 1] }
    : { kind: 'has', name: value, at: [1, 1] }

const rule = (rule_id: string, version_id: string, value: boolean | string = true) =>
  ({
    type: 'RulePublished',
    data: {
      rule_id,
      version_id,
      name: `${rule_id} ${version_id}`,
      text: String(value),
      expression: literal(value),
    },
  }) satisfies RulebookEvent
const recipe = (recipe_id: string, rules: readonly Membership[]) =>
  ({
    type: 'RecipePublished',
    data: {
      recipe_id,
      version_id: 'ver_r',
      status: 'LIVE',
      name: recipe_id,
      threshold: 50,
      rules,
    },
  }) satisfies RulebookEvent
const flow = (recipes: readonly string[]) =>
  ({
    type: 'FlowPublished',
    data: { flow_id: 'flo_1', version_id: 'ver_f', name: 'f', recipes },
  }) satisfies RulebookEvent

const rulebooksOf = (own: readonly RulebookEvent[]) => ({
  own: after(emptyRulebook(), evolveRulebook, own),
  managed: emptyManagedRulebook(),
})
const planOf = (...events: readonly RulebookEvent[]) => planFlow(rulebooksOf(events), 'flo_1', 2)
const member = (rule_id: string, more: Partial<Membership> = {}): Membership => ({
  rule_id,
  weight: 10,
  ...more,
})

test('everything in its place is in the plan', () => {
  const plan = planOf(
    rule('rul_1', 'ver_1'),
    recipe('rcp_1', [member('rul_1', { weight: -3, preempts: 'PASS' })]),
    flow(['rcp_1']),
  )

  expect(plan).toEqual({
    flow_id: 'flo_1',
    flow_version_id: 'ver_f',
    semantics: 2,
    recipes: [
      {
        recipe_id: 'rcp_1',
        version_id: 'ver_r',
        status: 'LIVE',
        threshold: 50,
        rules: [
          {
            rule_id: 'rul_1',
            type: 'CUSTOM',
            name: 'rul_1 ver_1',
            version_id: 'ver_1',
            weight: -3,
            preempts: 'PASS',
            expression: literal(true),
          },
        ],
      },
    ],
  })
})

describe('rules', () => {
  const two = [rule('rul_1', 'ver_1', true), rule('rul_1', 'ver_2', false)]

  test('that are not there are named, and cannot run', () => {
    const pinned = member('rul_1', { version_id: 'ver_none' })
    const plan = planOf(...two, recipe('rcp_1', [member('rul_none'), pinned]), flow(['rcp_1']))

    for (const planned of plan?.recipes[0]?.rules ?? []) {
      expect(planned).toMatchObject({ name: '', version_id: '', weight: 10 })
      expect(planned).not.toHaveProperty('expression')
    }
    expect(plan?.recipes[0]?.rules).toHaveLength(2)
  })
})

test('whatever is changed, the plan that runs is the one of the rulebooks as they are', () =>
  fc.assert(
    fc.asyncProperty(fc.array(historyStep, { maxLength: 25 }), async (taken) => {
      const history = newHistory()
      const plans = openPlans(openCompiledPlans(1e9), async () => undefined)
      for (const one of [...settledStart, ...taken]) {
        history.take(one)

        const ready = await plans.ready('acc_1', history, 'flow_0')

        const expected = planFlow(history, 'flow_0', ready?.plan.semantics ?? 0)
        expect(ready?.plan).toEqual(expected)
      }
    }),
    { numRuns: draws(100) },
  ))

describe('a compiled plan', () => {
  const rulebooks = () =>
    rulebooksOf([
      rule('rul_1', 'ver_1', 'signal.ip'),
      recipe('rcp_1', [member('rul_1')]),
      flow(['rcp_1']),
    ])
  const other = { ...flow(['rcp_1']), data: { ...flow(['rcp_1']).data, flow_id: 'flo_2' } }

  test('is recorded once, before it is given, and then given at once', async () => {
    const recorded: string[] = []
    const plans = openPlans(openCompiledPlans(1e9), async (account, { digest }) => {
      await Promise.resolve()
      recorded.push(`${account} ${digest}`)
    })
    const state = rulebooks()

    const [first, same] = await Promise.all([
      plans.ready('acc_1', state, 'flo_1'),
      plans.ready('acc_1', state, 'flo_1'),
    ])

    expect(recorded).toEqual([`acc_1 ${first?.digest}`])
    expect(same).toBe(first)
    // not a promise any more
    expect(plans.ready('acc_1', state, 'flo_1')).toBe(first)
  })

  test('is kept when something else of the account changes, and made anew when it does', async () => {
    const plans = openPlans(openCompiledPlans(1e9), async () => undefined)
    const state = rulebooks()
    const first = await plans.ready('acc_1', state, 'flo_1')

    evolveRulebook(state.own, other)
    expect(plans.ready('acc_1', state, 'flo_1')).toBe(first)
    evolveRulebook(state.own, rule('rul_1', 'ver_2', true))
    const second = await plans.ready('acc_1', state, 'flo_1')

    expect(second).not.toBe(first)
    expect(second?.plan.recipes[0]?.rules[0]?.version_id).toBe('ver_2')
    expect(second?.digest).not.toBe(first?.digest)
  })

  test('is another for another account, though the plan be the same', async () => {
    const plans = openPlans(openCompiledPlans(1e9), async () => undefined)
    const state = rulebooks()

    const one = await plans.ready('acc_1', state, 'flo_1')
    const two = await plans.ready('acc_2', state, 'flo_1')

    expect(two?.plan).toEqual(one?.plan)
    expect(two?.digest).not.toBe(one?.digest)
  })

  test('that could not be recorded is not given, and is tried again by the next', async () => {
    let fails = true
    const plans = openPlans(openCompiledPlans(1e9), async () => {
      if (fails) throw new Error('the store is away')
    })
    const state = rulebooks()

    await expect(plans.ready('acc_1', state, 'flo_1')).rejects.toThrow('the store is away')
    fails = false

    expect(await plans.ready('acc_1', state, 'flo_1')).toMatchObject({
      plan: { flow_id: 'flo_1' },
    })
  })

  test('is none for a flow that is gone', async () => {
    const plans = openPlans(openCompiledPlans(1e9), async () => undefined)
    const state = rulebooks()
    await plans.ready('acc_1', state, 'flo_1')

    evolveRulebook(state.own, { type: 'FlowRetired', data: { flow_id: 'flo_1' } })

    expect(plans.ready('acc_1', state, 'flo_1')).toBeUndefined()
  })

  test('makes room by its bytes for others of its account, and is compiled and recorded anew when asked for', async () => {
    const made: string[] = []
    const onePlan = 8_000
    const plans = openPlans(openCompiledPlans(3 * onePlan), async (_, { digest }) => {
      made.push(digest)
    })
    const state = rulebooks()
    const first = (await plans.ready('acc_0', state, 'flo_1')) as ReadyPlan
    expect(plans.ready('acc_0', state, 'flo_1')).toBe(first)

    for (let at = 1; at <= 10; at += 1) await plans.ready(`acc_${at}`, state, 'flo_1')

    expect(plans.ready('acc_10', state, 'flo_1')).toMatchObject({ plan: first.plan })
    const again = await plans.ready('acc_0', state, 'flo_1')
    expect(again).not.toBe(first)
    expect(again?.digest).toBe(first.digest)
    expect(made.filter((digest) => digest === first.digest)).toHaveLength(2)
  })
})
