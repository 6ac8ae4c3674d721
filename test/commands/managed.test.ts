import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileManagedRule } from '../../src/commands/rulebook/compileRule.ts'
import { publishFlow } from '../../src/commands/rulebook/flows.ts'
import { decideInstall } from '../../src/commands/rulebook/managed/installManagedSet.ts'
import {
  publishManagedRecipe,
  restoreManagedRecipe,
} from '../../src/commands/rulebook/managed/managedRecipes.ts'
import {
  publishManagedRule,
  restoreManagedRule,
  retireManagedRule,
} from '../../src/commands/rulebook/managed/managedRules.ts'
import {
  bindingsOf,
  parameterLiteral,
  parameterProblem,
} from '../../src/commands/rulebook/recipeParameters.ts'
import { publishRecipe } from '../../src/commands/rulebook/recipes.ts'
import type { Rulebooks } from '../../src/commands/rulebook/rulebookStreams.ts'
import { publishRule } from '../../src/commands/rulebook/rules.ts'
import { shippedId } from '../../src/domain/ids.ts'
import {
  emptyManagedRulebook,
  evolveManagedRulebook,
  type ManagedEvent,
  type ManagedRecipeContent,
  type ManagedRulebook,
  type RecipeParameter,
  type RuleParameter,
} from '../../src/events/rulebook/managedRulebook.ts'
import {
  emptyRulebook,
  evolveRulebook,
  type RecipeContent,
  type RulebookEvent,
  type RulebookState,
} from '../../src/events/rulebook/rulebook.ts'
import { shippedSet } from '../../src/managed/shippedSet.ts'
import { planFlow } from './support/planFlow.ts'

type Change = (state: ManagedRulebook) => readonly ManagedEvent[]
type OwnChange = (state: RulebookState) => readonly RulebookEvent[]

let versions = 0
const nextVersion = () => {
  versions += 1
  return `ver_${versions}`
}

function change(managed: ManagedRulebook, ...changes: readonly Change[]): ManagedRulebook {
  for (const decide of changes) decide(managed).reduce(evolveManagedRulebook, managed)
  return managed
}

const managedOf = (...changes: readonly Change[]) => change(emptyManagedRulebook(), ...changes)

function ownOf(...changes: readonly OwnChange[]): RulebookState {
  const own = emptyRulebook()
  for (const decide of changes) decide(own).reduce(evolveRulebook, own)
  return own
}

function rule(id: string, text = '1 == 1', parameters: readonly RuleParameter[] = []): Change {
  const compiled = compileManagedRule(text, parameters)
  if ('problems' in compiled) throw new Error(compiled.problems[0]?.message)
  const { expression } = compiled
  const content = { name: `name of ${id}`, description: 'd', text, expression, parameters }
  return (state) =>
    publishManagedRule({
      ...content,
      id,
      versionId: nextVersion(),
      mode: state.rules.has(id) ? 'replace' : 'create',
    })(state)
}

function recipe(
  id: string,
  rules: readonly string[],
  more: Partial<ManagedRecipeContent> = {},
): Change {
  return (state) =>
    publishManagedRecipe({
      description: 'd',
      threshold: 50,
      threshold_bounds: { min: 0, max: 100 },
      parameters: [],
      rules: rules.map((rule_id) => ({ rule_id, weight: 10 })),
      ...more,
      id,
      versionId: nextVersion(),
      mode: state.recipes.has(id) ? 'replace' : 'create',
    })(state)
}

const ownRecipe =
  (managed: ManagedRulebook, more: Partial<RecipeContent> = {}): OwnChange =>
  (state) =>
    publishRecipe(
      {
        name: 'mine',
        threshold: 50,
        rules: [],
        ...more,
        id: 'rcp_own',
        versionId: nextVersion(),
        status: 'LIVE',
        mode: state.recipes.has('rcp_own') ? 'replace' : 'create',
      },
      managed,
    )(state)

const flow: OwnChange = publishFlow({
  id: 'flo_1',
  versionId: 'ver_flow',
  name: 'f',
  recipes: ['rcp_own'],
  mode: 'create',
})

const rulesIn = (rulebooks: Rulebooks) => planFlow(rulebooks, 'flo_1', 1)?.recipes[0]?.rules ?? []
const limit: RecipeParameter = { name: 'limit', type: 'INT', default_value: '5' }

describe('a plan', () => {
  test('keeps a value that was in its bounds once, and drops one of another type', () => {
    const parameters: readonly RuleParameter[] = [{ name: 'limit', type: 'INT' }]
    const managed = managedOf(
      rule('rul_m', 'param.limit > 7', parameters),
      recipe('rcp_m', ['rul_m'], { parameters: [limit] }),
    )
    const given = { base_recipe_id: 'rcp_m', parameters: { limit: '9' } }
    const own = ownOf(ownRecipe(managed, given), flow)

    change(managed, recipe('rcp_m', ['rul_m'], { parameters: [{ ...limit, value_max: 8 }] }))
    const outOfBounds = rulesIn({ own, managed })
    change(
      managed,
      rule('rul_m', 'param.limit', [{ name: 'limit', type: 'BOOL' }]),
      recipe('rcp_m', ['rul_m'], {
        parameters: [{ name: 'limit', type: 'BOOL', default_value: 'true' }],
      }),
    )
    const otherType = rulesIn({ own, managed })

    expect(JSON.stringify(outOfBounds[0]?.expression)).toContain('"value":9')
    expect(otherType[0]).not.toHaveProperty('expression')
  })
})

describe('a recipe of a customer', () => {
  test('that has a rule of its own under an id means that one', () => {
    const { expression } = compileManagedRule('1 == 1', []) as { expression: never }
    const managed = managedOf(rule('rul_x'))
    const own = ownOf(
      publishRule({
        id: 'rul_x',
        versionId: 'ver_own',
        name: 'own',
        text: '1 == 1',
        expression,
        mode: 'create',
      }),
      ownRecipe(managed, { rules: [{ rule_id: 'rul_x', weight: 3 }] }),
      flow,
    )

    expect(rulesIn({ own, managed })).toMatchObject([{ type: 'CUSTOM', version_id: 'ver_own' }])
  })
})

describe('values of parameters', () => {
  test.each<readonly [RecipeParameter['type'], string, string | number | boolean | undefined]>([
    ['BOOL', 'true', true],
    ['BOOL', 'false', false],
    ['BOOL', 'yes', undefined],
    ['INT', '-12', -12],
    ['INT', '-0', 0],
    ['INT', '1.5', undefined],
    ['INT', '9007199254740993', undefined],
    ['INT', '', undefined],
    ['INT', ' 1', undefined],
    ['DOUBLE', '1', 1],
    ['DOUBLE', '-0.25', -0.25],
    ['DOUBLE', '1e3', 1000],
    ['DOUBLE', '1e999', undefined],
    ['DOUBLE', 'NaN', undefined],
    ['STRING', '', ''],
    ['STRING', 'x'.repeat(1025), undefined],
  ])('%s %j is %j', (type, text, value) => {
    const literal = parameterLiteral(type, text)

    expect(literal?.value).toBe(value)
  })

  test('every number that a request can carry comes back as itself', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true })

    fc.assert(
      fc.property(number, (value) => {
        // there is one zero in JSON texts of numbers
        expect(parameterLiteral('DOUBLE', `${value}`)?.value).toBe(value + 0)
      }),
    )
  })

  test('bounds are included', () => {
    const bounded: RecipeParameter = { ...limit, value_min: 1, value_max: 3 }

    const fits = ['0', '1', '3', '4'].map((text) => parameterProblem(bounded, text) === undefined)

    expect(fits).toEqual([false, true, true, false])
  })

  test('a name that every object has is not a value', () => {
    const named: RecipeParameter = { name: 'constructor', type: 'STRING', default_value: 'd' }

    expect(bindingsOf([named], {}).get('constructor')?.value).toBe('d')
  })
})

/** The version after the one that ships. */
const next = shippedSet.version + 1

describe('the shipped set', () => {
  test('is installed whole, once', () => {
    const managed = managedOf(decideInstall(shippedSet))

    expect(managed.rules.size).toBe(shippedSet.rules.length)
    expect(managed.recipes.size).toBe(shippedSet.recipes.length)
    expect(managed.setVersion).toBe(shippedSet.version)
    expect(decideInstall(shippedSet)(managed)).toEqual([])
    expect(decideInstall({ ...shippedSet, version: 0 })(managed)).toEqual([])
  })

  test('fits together: the operator could save each recipe as it is', () => {
    const managed = managedOf(decideInstall(shippedSet))

    for (const [id, { last }] of managed.recipes) {
      const { shipped: _, version_id: versionId, ...content } = last
      const decide = publishManagedRecipe({ ...content, id, versionId, mode: 'replace' })

      expect(decide(managed)).toEqual([])
    }
  })

  test('newer, publishes nothing anew that was read back from the log and is the same', () => {
    const events = decideInstall(shippedSet)(emptyManagedRulebook())
    const readBack = JSON.parse(JSON.stringify(events)) as readonly ManagedEvent[]
    const managed = readBack.reduce(evolveManagedRulebook, emptyManagedRulebook())

    expect(decideInstall({ ...shippedSet, version: next })(managed)).toEqual([
      { type: 'ManagedSetInstalled', data: { version: next } },
    ])
  })

  test('newer, brings what is another and leaves what the operator changed or retired', () => {
    const managed = managedOf(decideInstall(shippedSet))
    const id = (key: string) => shippedId('rul', key)
    change(
      managed,
      rule(id('new-user'), '2 == 2'),
      recipe(shippedId('rcp', 'signup'), []),
      retireManagedRule(id('script-user-agent'), []),
    )
    const newer = {
      ...shippedSet,
      version: next,
      rules: shippedSet.rules.map((shipped) =>
        ['new-user', 'script-user-agent', 'plus-address'].includes(shipped.key)
          ? { ...shipped, description: 'another' }
          : shipped,
      ),
    }

    const events = decideInstall(newer)(managed)

    expect(events.map(({ type, data }) => [type, 'rule_id' in data && data.rule_id])).toEqual([
      ['ManagedRulePublished', id('plus-address')],
      ['ManagedSetInstalled', false],
    ])
  })

  test('newer, leaves a shipped version that the operator has gone back to', () => {
    const managed = managedOf(decideInstall(shippedSet))
    const [ruleId, recipeId] = [shippedId('rul', 'new-user'), shippedId('rcp', 'signup')]
    const current = () =>
      [managed.rules.get(ruleId)?.current, managed.recipes.get(recipeId)?.current] as const
    const [ofRule, ofRecipe] = current()
    change(
      managed,
      rule(ruleId, '2 == 2'),
      recipe(recipeId, []),
      restoreManagedRule(ruleId, ofRule),
      restoreManagedRecipe(recipeId, ofRecipe),
    )
    const newer = {
      version: next,
      rules: shippedSet.rules.map((shipped) => ({ ...shipped, description: 'another' })),
      recipes: shippedSet.recipes.map((shipped) => ({ ...shipped, description: 'another' })),
    }

    const events = decideInstall(newer)(managed)

    const ids = events.flatMap(({ data }) => Object.values(data))
    expect(current().map((version) => version?.version_id)).toEqual([
      ofRule?.version_id,
      ofRecipe?.version_id,
    ])
    expect(events).toHaveLength(shippedSet.rules.length - 1 + shippedSet.recipes.length - 1 + 1)
    expect(ids).not.toContain(ruleId)
    expect(ids).not.toContain(recipeId)
  })
})
