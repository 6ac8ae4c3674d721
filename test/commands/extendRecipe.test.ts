import { describe, expect, test } from 'vitest'
import type { AuthoredRecipe } from '../../src/events/rulebook/authoredContent.ts'
import {
  createManagedRulebook,
  evolveManagedRulebook,
  type ManagedRulebookEvent,
  type RuleParameter,
} from '../../src/events/rulebook/managedRulebook.ts'
import { createRulebook, evolveRulebook } from '../../src/events/rulebook/rulebook.ts'
import { compileManagedRule } from '../../src/state/rulebook/compileRule.ts'
import { decideRecipePublication } from '../../src/state/rulebook/recipes.ts'
import { after, outcome } from './support/outcome.ts'
import { always, ruleEvent } from './support/rulebookEvents.ts'

const managedRule = (
  rule_id: string,
  ...parameters: readonly RuleParameter[]
): ManagedRulebookEvent => ({
  type: 'ManagedRulePublished',
  data: {
    rule_id,
    version_id: 'ver_1',
    name: 'n',
    description: 'd',
    text: 'true',
    expression: always,
    parameters,
  },
})
const base: ManagedRulebookEvent = {
  type: 'ManagedRecipePublished',
  data: {
    recipe_id: 'rcp_m',
    version_id: 'ver_1',
    description: 'd',
    threshold: 50,
    threshold_bounds: { min: 40, max: 60 },
    parameters: [
      { name: 'limit', type: 'INT', default_value: '5', value_min: 1, value_max: 9 },
      { name: 'strict', type: 'BOOL', default_value: 'false' },
      { name: 'country', type: 'ENUM', default_value: 'FR', values: ['FR', 'DE'] },
    ],
    rules: [{ rule_id: 'rul_base', weight: 10 }],
  },
}
const managedWith = (...more: readonly ManagedRulebookEvent[]) =>
  after(createManagedRulebook(), evolveManagedRulebook, [
    managedRule('rul_base'),
    managedRule('rul_plain'),
    managedRule('rul_limit', { name: 'limit', type: 'INT' }),
    managedRule('rul_country', { name: 'country', type: 'STRING' }),
    base,
    ...more,
  ])
const retiredBase: ManagedRulebookEvent = {
  type: 'ManagedRecipeRetired',
  data: { recipe_id: 'rcp_m' },
}

const own = evolveRulebook(createRulebook(), ruleEvent('rul_own'))

const save = (content: Partial<AuthoredRecipe>, ...more: readonly ManagedRulebookEvent[]) =>
  outcome(own, (state) =>
    decideRecipePublication(
      { own: state, managed: managedWith(...more) },
      {
        id: 'rcp_1',
        versionId: 'ver_1',
        mode: 'create',
        status: 'DRAFT',
        name: 'n',
        threshold: 50,
        rules: [],
        ...content,
      },
    ),
  )
const extending = { base_recipe_id: 'rcp_m' }
const member = (rule_id: string, more: object = {}) => ({ rule_id, weight: 1, ...more })

describe('a recipe that uses what is managed is saved', () => {
  test.each<[string, Partial<AuthoredRecipe>]>([
    ['extending, with the defaults', extending],
    ['at the lowest threshold', { ...extending, threshold: 40 }],
    ['at the highest threshold', { ...extending, threshold: 60 }],
    [
      'with values of all its parameters',
      { ...extending, parameters: { limit: '9', strict: 'true', country: 'DE' } },
    ],
    ['naming a managed rule without parameters', { rules: [member('rul_plain')] }],
    ['naming one whose parameter its base has', { ...extending, rules: [member('rul_limit')] }],
    ['naming one that reads an ENUM as text', { ...extending, rules: [member('rul_country')] }],
    ['naming rules of its own besides', { ...extending, rules: [member('rul_own')] }],
  ])('%s', (_, content) => {
    expect(save(content)).toMatchObject([{ type: 'RecipePublished', data: content }])
  })
})

describe('a recipe that uses what is managed is refused', () => {
  const none = 'There is no managed recipe with this id.'

  test.each<[string, Partial<AuthoredRecipe>, readonly string[]]>([
    ['extending nothing there is', { base_recipe_id: 'rcp_x' }, [`base_recipe_id: ${none}`]],
    ['extending a recipe of its own', { base_recipe_id: 'rcp_1' }, [`base_recipe_id: ${none}`]],
    [
      'with parameters and no base',
      { parameters: {} },
      ['parameters: Only a recipe with base_recipe_id has parameters.'],
    ],
    [
      'below the lowest threshold',
      { ...extending, threshold: 39 },
      ['threshold: Must be from 40 to 60.'],
    ],
    [
      'above the highest threshold',
      { ...extending, threshold: 61 },
      ['threshold: Must be from 40 to 60.'],
    ],
    [
      'with values that its parameters cannot have, each named',
      { ...extending, parameters: { limit: '10', strict: 'yes', country: 'IT', other: '1' } },
      [
        'parameters.limit: Must be at most 9.',
        'parameters.strict: Must be true or false.',
        'parameters.country: Must be one of: FR, DE.',
        'parameters.other: The managed recipe has no such parameter.',
      ],
    ],
    [
      'with a parameter called as every object has one',
      { ...extending, parameters: { constructor: '1' } },
      ['parameters.constructor: The managed recipe has no such parameter.'],
    ],
    [
      'pinning a managed rule',
      { rules: [member('rul_plain', { version_id: 'ver_1' })] },
      ['rules.0.version_id: A managed rule cannot be pinned.'],
    ],
    [
      'naming a rule that its base has',
      { ...extending, rules: [member('rul_base')] },
      ['rules.0.rule_id: The recipe that is extended has this rule.'],
    ],
    [
      'naming a managed rule twice',
      { rules: [member('rul_plain'), member('rul_plain')] },
      ['rules.1.rule_id: The recipe names this rule twice.'],
    ],
    [
      'naming a rule whose parameter it does not have',
      { rules: [member('rul_plain'), member('rul_limit')] },
      [
        'rules.1.rule_id: The managed rule reads the parameter limit, which this recipe does not have.',
      ],
    ],
    [
      'with everything at once, all of it said',
      { ...extending, threshold: 0, parameters: { limit: 'x' }, rules: [member('rul_none')] },
      [
        'threshold: Must be from 40 to 60.',
        'parameters.limit: Must be a whole number.',
        'rules.0.rule_id: There is no rule with this id.',
      ],
    ],
  ])('%s', (_, content, details) => {
    expect(save(content)).toEqual(['invalid_request', ...details])
  })

  test('extending what is retired', () => {
    expect(save(extending, retiredBase)).toEqual(['invalid_request', `base_recipe_id: ${none}`])
  })

  test('naming a managed rule that is retired', () => {
    const retired: ManagedRulebookEvent = {
      type: 'ManagedRuleRetired',
      data: { rule_id: 'rul_plain' },
    }

    expect(save({ rules: [member('rul_plain')] }, retired)).toEqual([
      'invalid_request',
      'rules.0.rule_id: There is no rule with this id.',
    ])
  })
})

describe('a managed rule compiles', () => {
  const number: RuleParameter = { name: 'limit', type: 'INT' }
  test.each<[string, readonly RuleParameter[]]>([
    ['signal.existing_user && list.block', []],
    ['param.limit > 3', [number]],
    ['has(signal.ip) && param.country == "FR"', [{ name: 'country', type: 'STRING' }]],
    ['param.ratio > 0.5', [{ name: 'ratio', type: 'DOUBLE' }]],
    ['param.strict', [{ name: 'strict', type: 'BOOL' }]],
    ['double(param.limit) > 0.5', [number]],
  ])('reading what every account has: %s', (text, parameters) => {
    expect(() => compileManagedRule(text, parameters)).not.toThrow()
  })
})
