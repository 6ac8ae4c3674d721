import { describe, expect, test } from 'vitest'
import { managedRecipeDefinition } from '../../src/commands/rulebook/managed/managedRecipes.ts'
import { managedRuleDefinition } from '../../src/commands/rulebook/managed/managedRules.ts'
import type { Expression } from '../../src/engine/language/expression.ts'
import { ruleLimits } from '../../src/engine/language/ruleLimits.ts'
import { sumPatternSizes } from '../../src/engine/language/rulePatternSizes.ts'
import {
  createManagedRulebook,
  evolveManagedRulebook,
} from '../../src/events/rulebook/managedRulebook.ts'
import { evolveRulebook, type RulebookState } from '../../src/events/rulebook/rulebook.ts'
import { buildDraftRulebooks } from '../../src/queries/evaluation/draftFlow.ts'
import { decidePublication } from '../../src/state/rulebook/resourceDecisions.ts'
import { ruleDefinition } from '../../src/state/rulebook/rules.ts'
import { flow, given, recipe, refusal } from './support/givenRulebook.ts'

/** A rule with patterns of these sizes. */
function matching(...sizes: readonly number[]): { text: string; expression: Expression } {
  const args = sizes.map((size): Expression => {
    const read = { kind: 'read', name: 'signal.user_agent', at: [1, 1] } as const
    const value = `[a-c]{${size - 3}}`
    const pattern = { kind: 'literal', type: 'string', value, at: [1, 27] } as const
    return { kind: 'call', operator: 'matches(string, string)', args: [read, pattern], at: [1, 19] }
  })
  const expression: Expression = { kind: 'call', operator: '||', args, at: [1, 1] }
  expect(sumPatternSizes(expression)).toBe(sizes.reduce((sum, size) => sum + size, 0))
  return { text: 'signal.user_agent.matches(…)', expression }
}

/** As large as a rule may be. */
const large = matching(1000, 1000, 1000, 1000)
const small = matching(10)

const rule =
  (id: string, content = small, versionId = `ver_${id}`) =>
  (state: RulebookState) =>
    decidePublication(ruleDefinition, state, {
      id,
      versionId,
      name: id,
      ...content,
      mode: 'create',
    })

const ids = (count: number, prefix = 'r') =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}`)

describe('a recipe', () => {
  test('takes the patterns of its rules up to a size together, and not more', () => {
    const state = given(...ids(6).map((id) => rule(id, large)))

    expect(refusal(() => recipe('rcp', ids(5))(state))).toEqual([])
    expect(refusal(() => recipe('rcp', ids(6))(state))).toEqual([
      ['rules', 'The patterns of a recipe come to a size of 24000; at most 20000 fit.'],
    ])
  })

  test('has no room for a rule that grows', () => {
    const rules = [...ids(4).map((id) => rule(id, large)), rule('r4', small), rule('r5', small)]
    const state = given(...rules, recipe('rcp', ids(6)))
    const grown = (id: string, content: typeof small) => rule(id, content, 'ver_2')(state)
    for (const event of grown('r4', matching(1000, 1000, 990))) evolveRulebook(state, event)

    expect(refusal(() => grown('r4', matching(1000, 1000, 1000, 990)))).toEqual([])
    expect(refusal(() => grown('r4', large))).toEqual([
      ['expression', 'The patterns of a recipe come to a size of 20010; at most 20000 fit.'],
    ])
  })
})

describe('a flow', () => {
  const recipes = ids(3, 'c')
  const rules = recipes.flatMap((id) => ids(5, `${id}-`))
  const full = (): RulebookState =>
    given(
      ...rules.map((id) => rule(id, id.startsWith('c2') ? small : large)),
      ...recipes.map((id) => recipe(id, ids(5, `${id}-`))),
      flow(recipes),
    )

  test('takes the patterns of its recipes up to a size together, and not more', () => {
    const state = full()
    const grown = given(
      ...rules.map((id) => rule(id, large)),
      ...recipes.map((id) => recipe(id, ids(5, `${id}-`))),
    )

    expect(refusal(() => flow(recipes.slice(0, 2))(grown))).toEqual([])
    expect(refusal(() => flow(recipes)(grown))).toEqual([
      ['recipes', 'A flow would have patterns of a size of 60000; at most 50000 fit.'],
    ])
    expect(state.flows.get('flo')?.current).toBeDefined()
  })

  test('has no room for a rule that grows, nor for more rules in a recipe of it', () => {
    const state = full()
    for (const id of ['c2-0', 'c2-1']) {
      for (const event of rule(id, large, 'ver_2')(state)) evolveRulebook(state, event)
    }
    const message = 'The flow flo would have patterns of a size of 52020; at most 50000 fit.'

    expect(refusal(() => rule('c2-2', large, 'ver_2')(state))).toEqual([['expression', message]])
    expect(refusal(() => recipe('c2', ['c2-0', 'c2-1', 'c1-0'])(state))).toEqual([
      ['rules', 'The flow flo would have patterns of a size of 52000; at most 50000 fit.'],
    ])
  })

  test('in a draft has the same bounds', () => {
    const state = full()
    const own = { own: state, managed: createManagedRulebook() }
    const rulesOf = (count: number) =>
      Array.from({ length: count }, () => ({ name: 'r', ...large, weight: 1 }))
    const drafted = (count: number) => ({
      recipes: [
        'c0',
        'c1',
        { name: 'd', threshold: 50, status: 'LIVE' as const, rules: rulesOf(count) },
      ],
    })

    expect(refusal(() => buildDraftRulebooks(own, 'flo', drafted(2)))).toEqual([])
    expect(refusal(() => buildDraftRulebooks(own, 'flo', drafted(3)))).toEqual([
      ['draft.recipes', 'A flow would have patterns of a size of 52000; at most 50000 fit.'],
    ])
  })
})

test('a managed recipe, too, takes the patterns of its rules up to a size', () => {
  const state = createManagedRulebook()
  const publish = (id: string, content: typeof small, versionId = `ver_${id}`) =>
    decidePublication(managedRuleDefinition, state, {
      id,
      versionId,
      name: id,
      description: '',
      parameters: [],
      mode: 'create',
      ...content,
    })
  for (const id of ids(6)) {
    for (const event of publish(id, id === 'r5' ? small : large))
      evolveManagedRulebook(state, event)
  }
  const named = (rules: readonly string[]) =>
    decidePublication(managedRecipeDefinition, state, {
      id: 'rcp',
      versionId: 'ver_c',
      name: 'c',
      description: '',
      threshold: 50,
      threshold_bounds: { min: 0, max: 100 },
      parameters: [],
      rules: rules.map((rule_id) => ({ rule_id, weight: 1 })),
      mode: 'create',
    })
  const full = [['rules', 'The patterns of a recipe come to a size of 20010; at most 20000 fit.']]

  expect(refusal(() => named(ids(6)))).toEqual(full)
  for (const event of named(['r0', 'r1', 'r2', 'r3', 'r5'])) evolveManagedRulebook(state, event)
  expect(refusal(() => publish('r5', matching(1000, 1000, 1000, 1000, 1000), 'ver_2'))).toEqual([
    ['expression', 'The patterns of a recipe come to a size of 21000; at most 20000 fit.'],
  ])
  expect(ruleLimits.recipePatterns).toBe(20_000)
})
