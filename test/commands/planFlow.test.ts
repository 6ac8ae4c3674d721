import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openCompiledPlans, type ReadyPlan } from '../../src/commands/evaluation/compiledPlans.ts'
import { openPlans } from '../../src/commands/evaluation/plans.ts'
import { planFingerprint } from '../../src/commands/rulebook/planFlow.ts'
import type { Rulebooks } from '../../src/commands/rulebook/rulebookStreams.ts'
import type { Expression } from '../../src/engine/language/expression.ts'
import {
  emptyManagedRulebook,
  evolveManagedRulebook,
  type ManagedEvent,
} from '../../src/events/rulebook/managedRulebook.ts'
import {
  emptyRulebook,
  evolveRulebook,
  type Membership,
  type RecipeStatus,
  type RulebookEvent,
} from '../../src/events/rulebook/rulebook.ts'
import { draws } from '../support/draws.ts'
import { after } from './support/outcome.ts'
import { planFlow } from './support/planFlow.ts'

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
const recipe = (
  recipe_id: string,
  rules: readonly Membership[],
  more: { version_id?: string; status?: RecipeStatus; managed?: readonly string[] } & object = {},
) =>
  ({
    type: 'RecipePublished',
    data: {
      recipe_id,
      version_id: 'ver_r',
      status: 'LIVE',
      name: recipe_id,
      threshold: 50,
      rules,
      ...more,
    },
  }) satisfies RulebookEvent
const flow = (recipes: readonly string[], version_id = 'ver_f') =>
  ({
    type: 'FlowPublished',
    data: { flow_id: 'flo_1', version_id, name: 'f', recipes },
  }) satisfies RulebookEvent

const rulebooksOf = (own: readonly RulebookEvent[], managed: readonly ManagedEvent[] = []) => ({
  own: after(emptyRulebook(), evolveRulebook, own),
  managed: after(emptyManagedRulebook(), evolveManagedRulebook, managed),
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

// what random changes can do to a flow of two recipes, one of which extends a managed recipe and names a managed rule

const ver = fc.constantFrom('ver_1', 'ver_2')
const status = fc.constantFrom<RecipeStatus[]>('DRAFT', 'SHADOW', 'LIVE', 'INACTIVE')
const extending = {
  base_recipe_id: 'rcp_m',
  managed: ['rul_m'],
  parameters: { limit: '5' },
}
const ownChange = fc.oneof(
  // a version never says two things
  ver.map((version_id): RulebookEvent => rule('rul_1', version_id, version_id === 'ver_1')),
  fc.constant<RulebookEvent>({ type: 'RuleRetired', data: { rule_id: 'rul_1' } }),
  status.map(
    (now): RulebookEvent => ({
      type: 'RecipeStatusSet',
      data: { recipe_id: 'rcp_1', status: now },
    }),
  ),
  fc.tuple(ver, status).map(
    ([version_id, now]): RulebookEvent =>
      recipe(
        'rcp_1',
        version_id === 'ver_1' ? [member('rul_1')] : [member('rul_1', { weight: 1 })],
        {
          version_id,
          status: now,
        },
      ),
  ),
  status.map(
    (now): RulebookEvent =>
      recipe('rcp_2', [member('rul_m'), member('rul_1')], { ...extending, status: now }),
  ),
  ver.map(
    (version_id): RulebookEvent =>
      flow(version_id === 'ver_1' ? ['rcp_1', 'rcp_2'] : ['rcp_2'], version_id),
  ),
)
const managedRule = (rule_id: string, version_id: string, runs: boolean): ManagedEvent => ({
  type: 'ManagedRulePublished',
  data: {
    rule_id,
    version_id,
    name: version_id,
    description: version_id,
    text: String(runs),
    expression: literal(runs),
    parameters: version_id === 'ver_1' ? [] : [{ name: 'limit', type: 'STRING' }],
  },
})
const managedChange = fc.oneof(
  fc
    .tuple(fc.constantFrom('rul_m', 'rul_n'), ver)
    .map(([id, version_id]) => managedRule(id, version_id, version_id === 'ver_1')),
  fc.constantFrom('rul_m', 'rul_n').map(
    (rule_id): ManagedEvent => ({
      type: 'ManagedRuleRetired',
      data: { rule_id },
    }),
  ),
  ver.map(
    (version_id): ManagedEvent => ({
      type: 'ManagedRecipePublished',
      data: {
        recipe_id: 'rcp_m',
        version_id,
        description: version_id,
        threshold: 1,
        threshold_bounds: { min: 0, max: 100 },
        parameters: [{ name: 'limit', type: 'INT', default_value: '1' }],
        rules: version_id === 'ver_1' ? [member('rul_n')] : [member('rul_m'), member('rul_n')],
      },
    }),
  ),
  fc.constant<ManagedEvent>({ type: 'ManagedRecipeRetired', data: { recipe_id: 'rcp_m' } }),
)
const changes = fc.array(fc.oneof(ownChange, managedChange), { maxLength: 25 })
const start: readonly RulebookEvent[] = [
  rule('rul_1', 'ver_1'),
  recipe('rcp_1', [member('rul_1')], { version_id: 'ver_1' }),
  recipe('rcp_2', [member('rul_m'), member('rul_1')], extending),
  flow(['rcp_1', 'rcp_2'], 'ver_1'),
]

function apply({ own, managed }: Rulebooks, change: RulebookEvent | ManagedEvent): void {
  if (change.type.startsWith('Managed')) evolveManagedRulebook(managed, change as ManagedEvent)
  else evolveRulebook(own, change as RulebookEvent)
}

describe('whatever is changed', () => {
  test('two rulebooks of one fingerprint have one plan', () =>
    fc.assert(
      fc.property(changes, (all) => {
        const rulebooks = rulebooksOf(start)
        const plans = new Map<string, unknown>()
        for (const change of all) {
          apply(rulebooks, change)
          const fingerprint = planFingerprint(rulebooks, 'flo_1') ?? ''
          const plan = planFlow(rulebooks, 'flo_1', 2)
          expect(plan).toEqual(plans.get(fingerprint) ?? plan)
          plans.set(fingerprint, plan)
        }
      }),
      { numRuns: draws(400) },
    ))

  test('the plan that runs is the one of the rulebooks as they stand', () =>
    fc.assert(
      fc.asyncProperty(changes, async (all) => {
        const rulebooks = rulebooksOf(start)
        const plans = openPlans(openCompiledPlans(1e9), async () => undefined)
        for (const change of all) {
          apply(rulebooks, change)

          const ready = await plans.ready('acc_1', rulebooks, 'flo_1')

          const expected = planFlow(rulebooks, 'flo_1', ready?.plan.semantics ?? 0)
          expect(ready?.plan).toEqual(expected)
        }
      }),
      { numRuns: draws(100) },
    ))
})

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
