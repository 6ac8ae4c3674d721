import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createManagedRulebook } from '../../src/events/rulebook/managedRulebook.ts'
import {
  createRulebook,
  evolveRulebook,
  type RulebookEvent,
} from '../../src/events/rulebook/rulebook.ts'
import {
  openCompiledPlanCache,
  openFlowPlans,
  type RunnablePlan,
} from '../../src/state/evaluation/flowPlanCache.ts'
import { draws } from '../support/draws.ts'
import { load } from '../support/load.ts'
import { after } from './support/outcome.ts'
import { planFlow } from './support/planFlow.ts'
import { flowEvent, recipeEvent, ruleEvent } from './support/rulebookEvents.ts'
import { historyStep, newHistory, settledStart } from './support/rulebookHistory.ts'

const rulebooksOf = (own: readonly RulebookEvent[]) => ({
  own: after(createRulebook(), evolveRulebook, own),
  managed: createManagedRulebook(),
})
test('rules that are not there are named, and cannot run', () => {
  const pinned = { rule_id: 'rul_1', weight: 10, version_id: 'ver_none' }
  const missing = { rule_id: 'rul_none', weight: 10 }
  const events = [
    ruleEvent('rul_1'),
    recipeEvent('rcp_1', [missing, pinned]),
    flowEvent('flo_1', ['rcp_1']),
  ]

  const planned = planFlow(rulebooksOf(events), 'flo_1', 2)?.recipes[0]?.rules ?? []

  expect(planned).toHaveLength(2)
  for (const one of planned) {
    expect(one).toMatchObject({ name: '', version_id: '', weight: 10 })
    expect(one).not.toHaveProperty('expression')
  }
})

test('whatever is changed, the plan that runs is the one of the rulebooks as they are', () =>
  fc.assert(
    fc.asyncProperty(fc.array(historyStep, { maxLength: 25 }), async (taken) => {
      const history = newHistory()
      const plans = openFlowPlans(
        { ...load, compiledPlans: openCompiledPlanCache(load, 1e9) },
        async () => undefined,
      )
      for (const one of [...settledStart, ...taken]) {
        history.take(one)

        const ready = await plans.preparePlan('acc_1', history, 'flow_0')

        const expected = planFlow(history, 'flow_0', ready?.plan.semantics ?? 0)
        expect(ready?.plan).toEqual(expected)
      }
    }),
    { numRuns: draws(100) },
  ))

describe('a compiled plan', () => {
  const rulebooks = () =>
    rulebooksOf([
      ruleEvent('rul_1'),
      recipeEvent('rcp_1', ['rul_1']),
      flowEvent('flo_1', ['rcp_1']),
    ])

  test('is recorded once, before it is given, and then given at once', async () => {
    const recorded: string[] = []
    const plans = openFlowPlans(
      { ...load, compiledPlans: openCompiledPlanCache(load, 1e9) },
      async (account, { digest }) => {
        await Promise.resolve()
        recorded.push(`${account} ${digest}`)
      },
    )
    const state = rulebooks()

    const [first, same] = await Promise.all([
      plans.preparePlan('acc_1', state, 'flo_1'),
      plans.preparePlan('acc_1', state, 'flo_1'),
    ])

    expect(recorded).toEqual([`acc_1 ${first?.digest}`])
    expect(same).toBe(first)
    // not a promise any more
    expect(plans.preparePlan('acc_1', state, 'flo_1')).toBe(first)
  })

  test('is kept when something else of the account changes, and made anew when it does', async () => {
    const plans = openFlowPlans(
      { ...load, compiledPlans: openCompiledPlanCache(load, 1e9) },
      async () => undefined,
    )
    const state = rulebooks()
    const first = await plans.preparePlan('acc_1', state, 'flo_1')

    evolveRulebook(state.own, flowEvent('flo_2', ['rcp_1']))
    expect(plans.preparePlan('acc_1', state, 'flo_1')).toBe(first)
    evolveRulebook(state.own, ruleEvent('rul_1', { version_id: 'ver_2' }))
    const second = await plans.preparePlan('acc_1', state, 'flo_1')

    expect(second).not.toBe(first)
    expect(second?.plan.recipes[0]?.rules[0]?.version_id).toBe('ver_2')
    expect(second?.digest).not.toBe(first?.digest)
  })

  test('that could not be recorded is not given, and is tried again by the next', async () => {
    let fails = true
    const plans = openFlowPlans(
      { ...load, compiledPlans: openCompiledPlanCache(load, 1e9) },
      async () => {
        if (fails) throw new Error('the store is away')
      },
    )
    const state = rulebooks()

    await expect(plans.preparePlan('acc_1', state, 'flo_1')).rejects.toThrow('the store is away')
    fails = false

    expect(await plans.preparePlan('acc_1', state, 'flo_1')).toMatchObject({
      plan: { flow_id: 'flo_1' },
    })
  })

  test('makes room by its bytes for others of its account, and is compiled and recorded anew when asked for', async () => {
    const made: string[] = []
    const onePlan = 8_000
    const plans = openFlowPlans(
      { ...load, compiledPlans: openCompiledPlanCache(load, 3 * onePlan) },
      async (_, { digest }) => {
        made.push(digest)
      },
    )
    const state = rulebooks()
    const first = (await plans.preparePlan('acc_0', state, 'flo_1')) as RunnablePlan
    expect(plans.preparePlan('acc_0', state, 'flo_1')).toBe(first)

    for (let at = 1; at <= 10; at += 1) await plans.preparePlan(`acc_${at}`, state, 'flo_1')

    expect(plans.preparePlan('acc_10', state, 'flo_1')).toMatchObject({ plan: first.plan })
    const again = await plans.preparePlan('acc_0', state, 'flo_1')
    expect(again).not.toBe(first)
    expect(again?.digest).toBe(first.digest)
    expect(made.filter((digest) => digest === first.digest)).toHaveLength(2)
  })
})
