import { describe, expect, test } from 'vitest'
import { publishFlow, retireFlow } from '../../src/commands/rulebook/publishFlow.ts'
import {
  type PublishRecipeInput,
  publishRecipe,
  retireRecipe,
} from '../../src/commands/rulebook/publishRecipe.ts'
import {
  type PublishRuleInput,
  publishRule,
  retireRule,
} from '../../src/commands/rulebook/publishRule.ts'
import type { Failure } from '../../src/domain/failure.ts'
import type { Expression } from '../../src/engine/language/expression.ts'
import { emptyManagedRulebook } from '../../src/events/rulebook/managedRulebook.ts'
import {
  emptyRulebook,
  evolveRulebook,
  type RulebookEvent,
  type RulebookState,
} from '../../src/events/rulebook/rulebook.ts'

const yes: Expression = { kind: 'literal', type: 'bool', value: true, at: [1, 1] }

const ruleInput = (ruleId: string, versionId: string, change: Partial<PublishRuleInput> = {}) =>
  publishRule({
    ruleId,
    versionId,
    name: ruleId,
    text: 'true',
    expression: yes,
    mode: 'create',
    ...change,
  })

const recipeInput = (recipeId: string, rules: PublishRecipeInput['rules'], change = {}) =>
  publishRecipe(
    {
      recipeId,
      versionId: 'ver_r',
      name: recipeId,
      threshold: 50,
      status: 'LIVE',
      rules,
      mode: 'create',
      ...change,
    },
    emptyManagedRulebook(),
  )

const flowInput = (flowId: string, recipes: readonly string[], change = {}) =>
  publishFlow({ flowId, versionId: 'ver_f', name: flowId, recipes, mode: 'create', ...change })

type Decide = (state: RulebookState) => readonly RulebookEvent[]

function given(...decisions: readonly Decide[]): RulebookState {
  return decisions.reduce<RulebookState>(
    (state, decide) => decide(state).reduce(evolveRulebook, state),
    emptyRulebook(),
  )
}

function failureOf(work: () => unknown): Failure {
  try {
    work()
  } catch (error) {
    return error as Failure
  }
  throw new Error('nothing was thrown')
}

describe('rules', () => {
  test('every change is a new version, and earlier versions stay', () => {
    const state = given(
      ruleInput('rul_a', 'ver_1'),
      ruleInput('rul_a', 'ver_2', { mode: 'replace', text: '1 == 1' }),
    )

    const entry = state.rules.get('rul_a')
    expect(entry?.current?.version_id).toBe('ver_2')
    expect([...(entry?.versions.keys() ?? [])]).toEqual(['ver_1', 'ver_2'])
  })

  test('the same content again is no event', () => {
    const state = given(ruleInput('rul_a', 'ver_1'))

    expect(ruleInput('rul_a', 'ver_2', { mode: 'replace' })(state)).toEqual([])
  })

  test('replacing a rule that is not there is not found', () => {
    const failure = failureOf(() =>
      ruleInput('rul_a', 'ver_1', { mode: 'replace' })(emptyRulebook()),
    )

    expect(failure.code).toBe('not_found')
  })

  test('a rule that recipes name stays, and the refusal names each of them', () => {
    const member = { rule_id: 'rul_a', weight: 10 }
    const state = given(
      ruleInput('rul_a', 'ver_1'),
      recipeInput('rcp_2', [member]),
      recipeInput('rcp_1', [member]),
    )

    const failure = failureOf(() => retireRule('rul_a')(state))

    expect(failure.code).toBe('rule_in_use')
    expect(failure.details).toEqual([
      { path: 'id', message: 'rcp_1' },
      { path: 'id', message: 'rcp_2' },
    ])
  })

  test('a rule is free again when its recipe drops it or is retired', () => {
    const member = { rule_id: 'rul_a', weight: 10 }
    const dropped = given(
      ruleInput('rul_a', 'ver_1'),
      recipeInput('rcp_1', [member]),
      recipeInput('rcp_1', [], { mode: 'replace' }),
    )
    const retired = given(
      ruleInput('rul_a', 'ver_1'),
      recipeInput('rcp_1', [member]),
      retireRecipe('rcp_1'),
    )

    for (const state of [dropped, retired]) {
      expect(retireRule('rul_a')(state)).toEqual([
        { type: 'RuleRetired', data: { rule_id: 'rul_a' } },
      ])
    }
  })

  test('retiring what is gone changes nothing, what never was is not found', () => {
    const state = given(ruleInput('rul_a', 'ver_1'), retireRule('rul_a'))

    expect(retireRule('rul_a')(state)).toEqual([])
    expect(failureOf(() => retireRule('rul_b')(state)).code).toBe('not_found')
    expect(failureOf(() => retireRecipe('rcp_b')(state)).code).toBe('not_found')
    expect(failureOf(() => retireFlow('flo_b')(state)).code).toBe('not_found')
  })
})

describe('recipes', () => {
  test('every reference that cannot be used is named by its place', () => {
    const state = given(
      ruleInput('rul_a', 'ver_1'),
      ruleInput('rul_gone', 'ver_2'),
      retireRule('rul_gone'),
    )

    const failure = failureOf(() =>
      recipeInput('rcp_1', [
        { rule_id: 'rul_a', weight: 1 },
        { rule_id: 'rul_none', weight: 1 },
        { rule_id: 'rul_gone', weight: 1 },
        { rule_id: 'rul_a', weight: 2 },
      ])(state),
    )

    expect(failure.code).toBe('invalid_request')
    expect(failure.details?.map((detail) => detail.path)).toEqual([
      'rules.1.rule_id',
      'rules.2.rule_id',
      'rules.3.rule_id',
    ])
  })

  test('a pin must be a version of its rule', () => {
    const state = given(ruleInput('rul_a', 'ver_1'), ruleInput('rul_b', 'ver_2'))

    const failure = failureOf(() =>
      recipeInput('rcp_1', [{ rule_id: 'rul_a', weight: 1, version_id: 'ver_2' }])(state),
    )

    expect(failure.details?.map((detail) => detail.path)).toEqual(['rules.0.version_id'])
  })

  test('a new status alone is not a new version', () => {
    const state = given(recipeInput('rcp_1', []))

    const events = recipeInput('rcp_1', [], { mode: 'replace', status: 'SHADOW' })(state)

    expect(events).toEqual([
      { type: 'RecipeStatusSet', data: { recipe_id: 'rcp_1', status: 'SHADOW' } },
    ])
  })

  test('a recipe that a flow names stays', () => {
    const state = given(recipeInput('rcp_1', []), flowInput('flo_1', ['rcp_1']))

    const failure = failureOf(() => retireRecipe('rcp_1')(state))

    expect(failure.code).toBe('recipe_in_use')
    expect(failure.details).toEqual([{ path: 'id', message: 'flo_1' }])
  })

  test('a recipe cannot grow past what a flow that names it may run', () => {
    const rules = Array.from({ length: 2_001 }, (_, index) => `rul_${index}`)
    const state = given(
      ...rules.map((id) => ruleInput(id, `ver_${id}`)),
      recipeInput('rcp_1', []),
      flowInput('flo_1', ['rcp_1']),
    )
    const members = rules.map((rule_id) => ({ rule_id, weight: 1 }))

    const failure = failureOf(() => recipeInput('rcp_1', members, { mode: 'replace' })(state))

    expect(failure.details?.map((detail) => detail.path)).toEqual(['rules'])
  })
})

describe('flows', () => {
  test('recipes that are not there or are named twice are refused by their place', () => {
    const state = given(recipeInput('rcp_1', []))

    const failure = failureOf(() => flowInput('flo_1', ['rcp_1', 'rcp_2', 'rcp_1'])(state))

    expect(failure.details?.map((detail) => detail.path)).toEqual(['recipes.1', 'recipes.2'])
  })

  test('a retired flow is gone and frees its recipes', () => {
    const state = given(
      recipeInput('rcp_1', []),
      flowInput('flo_1', ['rcp_1']),
      retireFlow('flo_1'),
    )

    expect(state.flows.get('flo_1')?.current).toBeUndefined()
    expect(retireFlow('flo_1')(state)).toEqual([])
    expect(retireRecipe('rcp_1')(state)).toHaveLength(1)
  })
})
