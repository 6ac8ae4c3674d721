import { describe, expect, test } from 'vitest'
import { managedRecipeDefinition } from '../../src/commands/rulebook/managed/managedRecipes.ts'
import { managedRuleDefinition } from '../../src/commands/rulebook/managed/managedRules.ts'
import type { Expression } from '../../src/engine/language/expression.ts'
import {
  createManagedRulebook,
  evolveManagedRulebook,
  type ManagedRecipeContent,
  type ManagedRulebook,
  type ManagedRulebookEvent,
  type ManagedRuleContent,
} from '../../src/events/rulebook/managedRulebook.ts'
import {
  createRulebook,
  evolveRulebook,
  type FlowContent,
  type RulebookEvent,
  type RulebookState,
  type RuleContent,
} from '../../src/events/rulebook/rulebook.ts'
import { flowDefinition } from '../../src/state/rulebook/flows.ts'
import {
  decideRecipePublication,
  type PublishRecipeInput,
} from '../../src/state/rulebook/recipes.ts'
import { decidePublication, type PublishInput } from '../../src/state/rulebook/resourceDecisions.ts'
import { ruleDefinition } from '../../src/state/rulebook/rules.ts'
import { after, outcome } from './support/outcome.ts'

type PublishRuleInput = RuleContent & PublishInput
type PublishFlowInput = FlowContent & PublishInput
type PublishManagedRuleInput = ManagedRuleContent & PublishInput
type PublishManagedRecipeInput = ManagedRecipeContent & PublishInput

const constant = (value: boolean): Expression => ({
  kind: 'literal',
  type: 'bool',
  value,
  at: [1, 1],
})

const contents = {
  rule: { name: 'n', text: 'true', expression: constant(true) },
  recipe: {
    status: 'LIVE',
    name: 'n',
    threshold: 50,
    rules: [{ rule_id: 'rul_1', weight: 10 }],
    base_recipe_id: 'rcp_m',
    parameters: { limit: '5' },
  },
  flow: { name: 'n', recipes: ['rcp_1'] },
  managedRule: {
    name: 'n',
    description: 'd',
    text: 'true',
    expression: constant(true),
    parameters: [{ name: 'limit', type: 'INT' }],
  },
  managedRecipe: {
    name: 'n',
    description: 'd',
    threshold: 50,
    threshold_bounds: { min: 0, max: 100 },
    parameters: [{ name: 'limit', type: 'INT', default_value: '5' }],
    rules: [{ rule_id: 'rul_m', weight: 10 }],
  },
} as const

// what there is before each decision: two rules, a recipe and a flow of each kind

const version_id = 'ver_1'
const own: readonly RulebookEvent[] = [
  ...['rul_1', 'rul_2'].map(
    (rule_id): RulebookEvent => ({
      type: 'RulePublished',
      data: { rule_id, version_id, ...contents.rule },
    }),
  ),
  { type: 'RecipePublished', data: { recipe_id: 'rcp_1', version_id, ...contents.recipe } },
  { type: 'FlowPublished', data: { flow_id: 'flo_1', version_id, ...contents.flow } },
]
const operators: readonly ManagedRulebookEvent[] = [
  ...['rul_m', 'rul_n'].map(
    (rule_id): ManagedRulebookEvent => ({
      type: 'ManagedRulePublished',
      data: { rule_id, version_id, ...contents.managedRule },
    }),
  ),
  {
    type: 'ManagedRecipePublished',
    data: { recipe_id: 'rcp_m', version_id, ...contents.managedRecipe },
  },
]

const rulebook = () => after(createRulebook(), evolveRulebook, own)
const managedRulebook = (...more: readonly ManagedRulebookEvent[]): ManagedRulebook =>
  after(createManagedRulebook(), evolveManagedRulebook, [...operators, ...more])

const replacing = (id: string): PublishInput => ({ id, versionId: 'ver_2', mode: 'replace' })
const rule: PublishRuleInput = { ...replacing('rul_1'), ...contents.rule }
const recipe: PublishRecipeInput = { ...replacing('rcp_1'), ...contents.recipe }
const flow: PublishFlowInput = { ...replacing('flo_1'), ...contents.flow }
const managedRule: PublishManagedRuleInput = { ...replacing('rul_m'), ...contents.managedRule }
const managedRecipe: PublishManagedRecipeInput = {
  ...replacing('rcp_m'),
  ...contents.managedRecipe,
}

const deciding =
  (input: PublishRecipeInput, managed = managedRulebook()) =>
  (state: RulebookState) =>
    decideRecipePublication({ own: state, managed }, input)

const publish = {
  rule: (input: PublishRuleInput) =>
    outcome(rulebook(), (state) => decidePublication(ruleDefinition, state, input)),
  recipe: (input: PublishRecipeInput) => outcome(rulebook(), deciding(input)),
  flow: (input: PublishFlowInput) =>
    outcome(rulebook(), (state) => decidePublication(flowDefinition, state, input)),
  managedRule: (input: PublishManagedRuleInput) =>
    outcome(managedRulebook(), (state) => decidePublication(managedRuleDefinition, state, input)),
  managedRecipe: (input: PublishManagedRecipeInput) =>
    outcome(managedRulebook(), (state) => decidePublication(managedRecipeDefinition, state, input)),
}

type Kind = keyof typeof publish
type Given = Record<string, unknown> & PublishInput
const inputs = { rule, recipe, flow, managedRule, managedRecipe } as unknown as Record<Kind, Given>
const decided = (kind: Kind, change: object) =>
  publish[kind]({ ...inputs[kind], ...change } as never)
const kinds = Object.keys(publish) as Kind[]
const eventTypes: Record<Kind, string> = {
  rule: 'RulePublished',
  recipe: 'RecipePublished',
  flow: 'FlowPublished',
  managedRule: 'ManagedRulePublished',
  managedRecipe: 'ManagedRecipePublished',
}

describe.each(kinds)('a %s', (kind) => {
  test('with the content that it has is no event', () => {
    expect(decided(kind, {})).toEqual([])
  })

  test('is the same when the members of its content come in another order', () => {
    const reversed = Object.fromEntries(Object.entries(inputs[kind]).reverse())

    expect(publish[kind](reversed as never)).toEqual([])
  })

  test('is made under the ids it is given, with all of its content', () => {
    const idField = { rul: 'rule_id', rcp: 'recipe_id', flo: 'flow_id' }[
      inputs[kind].id.slice(0, 3)
    ]

    const events = decided(kind, { id: 'new', mode: 'create' })

    const data = { [`${idField}`]: 'new', version_id: 'ver_2', ...contents[kind] }
    expect(events).toEqual([{ type: eventTypes[kind], data }])
  })

  test('that is to be replaced and never was is not found', () => {
    expect(decided(kind, { id: 'other' })).toEqual(['not_found'])
  })
})

/** Every member of every content, with another value. */
const others: { [Of in Kind]: Record<string, unknown> } = {
  rule: { name: 'other', text: 'false', expression: constant(false) } satisfies Omit<
    PublishRuleInput,
    keyof PublishInput
  >,
  recipe: {
    name: 'other',
    threshold: 51,
    rules: [{ rule_id: 'rul_1', weight: 11 }],
    base_recipe_id: undefined,
    parameters: { limit: '6' },
  },
  flow: { name: 'other' },
  managedRule: {
    name: 'other',
    description: 'other',
    text: 'false',
    expression: constant(false),
    parameters: [],
  } satisfies Omit<PublishManagedRuleInput, keyof PublishInput>,
  managedRecipe: {
    name: 'other',
    description: 'other',
    threshold: 51,
    threshold_bounds: { min: 1, max: 100 },
    parameters: [{ name: 'limit', type: 'INT', default_value: '6' }],
    rules: [{ rule_id: 'rul_n', weight: 10 }],
  } satisfies Required<Omit<PublishManagedRecipeInput, keyof PublishInput>>,
}

const changes = kinds.flatMap((kind) =>
  Object.entries(others[kind]).map(([field, value]) => ({ kind, field, value })),
)

test.each(changes)('another $field alone is a new version of a $kind', (changed) => {
  const { kind, field, value } = changed
  // without the recipe that it extends it has no parameters
  const more = field === 'base_recipe_id' ? { parameters: undefined } : {}

  const events = decided(kind, { [field]: value, ...more })

  expect(events).toHaveLength(1)
  expect(events[0]).toMatchObject({ type: eventTypes[kind], data: { version_id: 'ver_2' } })
  const { data } = events[0] as { data: Record<string, unknown> }
  expect(data[field]).toEqual(value)
})

describe('members of a recipe', () => {
  test.each([
    ['another weight', [{ rule_id: 'rul_1', weight: 9 }]],
    ['a verdict that it sets', [{ rule_id: 'rul_1', weight: 10, preempts: 'PASS' }]],
    ['a pin', [{ rule_id: 'rul_1', weight: 10, version_id: 'ver_1' }]],
    ['one more', [...recipe.rules, { rule_id: 'rul_2', weight: 0 }]],
    ['none', []],
  ])('%s is a new version', (_, rules) => {
    expect(decided('recipe', { rules })).toMatchObject([{ type: 'RecipePublished' }])
  })

  test('in another order are a new version: they run in that order', () => {
    const rules = [
      { rule_id: 'rul_1', weight: 1 },
      { rule_id: 'rul_2', weight: 1 },
    ]
    const state = rulebook()
    after(state, evolveRulebook, deciding({ ...recipe, rules })(state))
    const turned = { ...recipe, versionId: 'ver_3', rules: rules.toReversed() }

    expect(outcome(state, deciding(turned))).toHaveLength(1)
  })
})

describe('given a version of a rule that only the log has', () => {
  const pin = { rule_id: 'rul_1', weight: 10, version_id: 'ver_old' }
  const old = { ...contents.rule, version_id: 'ver_old', text: '1 == 1' }
  const known = (text: string) => [
    { rule_id: 'rul_1', ...old, text, expression: JSON.stringify(old.expression) },
  ]

  test('when a recipe pins it, then the event contains it, and the fold alone has it', () => {
    const state = rulebook()

    const events = deciding({ ...recipe, rules: [pin], known: known('1 == 1') })(state)
    after(state, evolveRulebook, events)

    expect(events).toMatchObject([{ data: { pinned: [{ rule_id: 'rul_1', ...old }] } }])
    expect(state.rules.get('rul_1')?.versions.get('ver_old')?.text).toBe('1 == 1')
  })

  test('when it is longer than the event of a recipe can contain, then it is refused by name', () => {
    const pinning = (length: number) =>
      outcome(rulebook(), deciding({ ...recipe, rules: [pin], known: known('x'.repeat(length)) }))

    expect(pinning(780_000)).toMatchObject([{ type: 'RecipePublished' }])
    expect(pinning(790_000)).toEqual([
      'invalid_request',
      expect.stringMatching(/^rules: The pinned versions come to 790\d{3} bytes as they are/),
    ])
  })
})

describe('the status of a recipe', () => {
  const statuses = ['DRAFT', 'SHADOW', 'LIVE', 'INACTIVE'] as const

  test.each(statuses)(
    '%s alone is an event of its own, and none when it is so already',
    (status) => {
      const events = decided('recipe', { status })

      const set = { type: 'RecipeStatusSet', data: { recipe_id: 'rcp_1', status } }
      expect(events).toEqual(status === 'LIVE' ? [] : [set])
    },
  )

  test.each(statuses)('%s comes with new content in one event', (status) => {
    expect(decided('recipe', { status, name: 'other' })).toMatchObject([
      { type: 'RecipePublished', data: { status, name: 'other' } },
    ])
  })

  const retiredBase: ManagedRulebookEvent = {
    type: 'ManagedRecipeRetired',
    data: { recipe_id: 'rcp_m' },
  }

  test.each(statuses)(
    '%s is set of a recipe that cannot run any more when it is not to run',
    (status) => {
      const managed = managedRulebook(retiredBase)

      const result = outcome(rulebook(), deciding({ ...recipe, status }, managed))

      if (status === 'LIVE' || status === 'SHADOW') {
        expect(result).toEqual([
          'invalid_request',
          'base_recipe_id: There is no managed recipe with this id.',
        ])
      } else {
        expect(result).toMatchObject([{ type: 'RecipeStatusSet', data: { status } }])
      }
    },
  )
})

describe('what of a recipe is managed', () => {
  test('is recorded, and is no part of what is compared', () => {
    const rules = [...recipe.rules, { rule_id: 'rul_n', weight: 1 }]
    const state = rulebook()
    const first = deciding({ ...recipe, rules })(state)
    after(state, evolveRulebook, first)

    const again = deciding({ ...recipe, versionId: 'ver_3', rules })(state)

    expect(first).toMatchObject([{ data: { managed: ['rul_n'] } }])
    expect(again).toEqual([])
  })

  test('is nothing where all rules are its account’s own', () => {
    const [event] = decided('recipe', { name: 'other' }) as RulebookEvent[]

    expect(event?.data).not.toHaveProperty('managed')
  })
})

describe('a recipe that a flow names', () => {
  test('is named by its place when it is not there, or a second time', () => {
    expect(decided('flow', { recipes: ['rcp_1', 'rcp_2', 'rcp_1'] })).toEqual([
      'invalid_request',
      'recipes.1: There is no recipe with this id.',
      'recipes.2: The flow names this recipe twice.',
    ])
  })

  test('cannot grow past what the flow may run', () => {
    const ids = Array.from({ length: 2_001 }, (_, index) => `rul_more_${index}`)
    const state = rulebook()
    for (const id of ids) {
      after(
        state,
        evolveRulebook,
        decidePublication(ruleDefinition, state, { ...rule, id, mode: 'create' }),
      )
    }
    const rules = ids.map((rule_id) => ({ rule_id, weight: 1 }))

    expect(outcome(state, deciding({ ...recipe, rules }))).toEqual([
      'invalid_request',
      expect.stringMatching(/^rules: /),
    ])
  })
})

describe('a managed recipe is refused', () => {
  const parameter = { name: 'limit', type: 'INT', default_value: '5' } as const
  const withParameters = (...parameters: readonly object[]) => ({ parameters, rules: [] })

  test.each<[string, object, readonly string[]]>([
    [
      'bounds the wrong way round',
      { threshold_bounds: { min: 60, max: 40 } },
      ['threshold_bounds: The min is above the max.'],
    ],
    [
      'a threshold outside its bounds',
      { threshold_bounds: { min: 60, max: 90 } },
      ['threshold: Must be from 60 to 90.'],
    ],
    [
      'a parameter of a name twice',
      withParameters(parameter, parameter),
      ['parameters.1.name: There is a parameter of this name already.'],
    ],
    [
      'bounds of what is no number',
      withParameters({ ...parameter, type: 'STRING', value_min: 1 }),
      ['parameters.0.value_min: Only numbers have bounds.'],
    ],
    [
      'bounds of a parameter that cross',
      withParameters({ ...parameter, value_min: 9, value_max: 1 }),
      [
        'parameters.0.value_min: The min is above the max.',
        'parameters.0.default_value: Must be at least 9.',
      ],
    ],
    [
      'values of what is no ENUM',
      withParameters({ ...parameter, values: ['5'] }),
      ['parameters.0.values: A parameter has values when it is an ENUM, and only then.'],
    ],
    [
      'an ENUM without values',
      withParameters({ ...parameter, type: 'ENUM', default_value: 'a' }),
      [
        'parameters.0.values: A parameter has values when it is an ENUM, and only then.',
        'parameters.0.default_value: Must be one of: .',
      ],
    ],
    [
      'a default outside the bounds',
      withParameters({ ...parameter, value_max: 4 }),
      ['parameters.0.default_value: Must be at most 4.'],
    ],
    [
      'a rule twice',
      { rules: [...managedRecipe.rules, ...managedRecipe.rules] },
      ['rules.1.rule_id: The recipe names this rule twice.'],
    ],
    [
      'a rule that is not there',
      { rules: [{ rule_id: 'rul_1', weight: 1 }] },
      ['rules.0.rule_id: There is no managed rule with this id.'],
    ],
    [
      'a rule whose parameter it does not declare',
      { parameters: [] },
      [
        'rules.0.rule_id: The rule reads the parameter limit, which the recipe does not declare so.',
      ],
    ],
    [
      'a rule whose parameter it declares as another type',
      { parameters: [{ ...parameter, type: 'STRING' }] },
      [
        'rules.0.rule_id: The rule reads the parameter limit, which the recipe does not declare so.',
      ],
    ],
  ])('with %s', (_, change, details) => {
    expect(decided('managedRecipe', change)).toEqual(['invalid_request', ...details])
  })
})
