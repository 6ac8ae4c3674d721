import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decideInstall } from '../../src/commands/rulebook/managed/installManagedSet.ts'
import { managedRecipeDefinition } from '../../src/commands/rulebook/managed/managedRecipes.ts'
import { managedRuleDefinition } from '../../src/commands/rulebook/managed/managedRules.ts'
import { shippedId } from '../../src/domain/ids.ts'
import {
  createManagedRulebook,
  evolveManagedRulebook,
  type ManagedRulebook,
  type ManagedRulebookEvent,
  type RecipeParameter,
} from '../../src/events/rulebook/managedRulebook.ts'
import { shippedSet } from '../../src/managed/shippedSet.ts'
import { compileManagedRule } from '../../src/state/rulebook/compileRule.ts'
import {
  bindParameterValues,
  findParameterProblem,
  parseParameterLiteral,
} from '../../src/state/rulebook/recipeParameters.ts'
import {
  decideDeletion,
  decidePublication,
  decideRestoration,
} from '../../src/state/rulebook/resourceDecisions.ts'

type Change = (state: ManagedRulebook) => readonly ManagedRulebookEvent[]

function change(managed: ManagedRulebook, ...changes: readonly Change[]): ManagedRulebook {
  for (const decide of changes) decide(managed).reduce(evolveManagedRulebook, managed)
  return managed
}

const managedOf = (...changes: readonly Change[]) => change(createManagedRulebook(), ...changes)

/** Another rule in the place of the one with this id. */
function otherRule(id: string): Change {
  const text = '2 == 2'
  const expression = compileManagedRule(text, [])
  const ids = { id, versionId: 'ver_other', mode: 'replace' } as const
  return (state) =>
    decidePublication(managedRuleDefinition, state, {
      ...ids,
      ...{ name: 'other', description: 'd', text, expression, parameters: [] },
    })
}

/** A recipe of no rules in the place of the one with this id. */
const otherRecipe =
  (id: string): Change =>
  (state) =>
    decidePublication(managedRecipeDefinition, state, {
      ...{ id, versionId: 'ver_other', mode: 'replace' },
      ...{ description: 'd', threshold: 50, threshold_bounds: { min: 0, max: 100 } },
      ...{ parameters: [], rules: [] },
    })

const limit: RecipeParameter = { name: 'limit', type: 'INT', default_value: '5' }

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
    const literal = parseParameterLiteral(type, text)

    expect(literal?.value).toBe(value)
  })

  test('every number that a request can carry comes back as itself', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true })

    fc.assert(
      fc.property(number, (value) => {
        // there is one zero in JSON texts of numbers
        expect(parseParameterLiteral('DOUBLE', `${value}`)?.value).toBe(value + 0)
      }),
    )
  })

  test('bounds are included', () => {
    const bounded: RecipeParameter = { ...limit, value_min: 1, value_max: 3 }

    const fits = ['0', '1', '3', '4'].map(
      (text) => findParameterProblem(bounded, text) === undefined,
    )

    expect(fits).toEqual([false, true, true, false])
  })

  test('one that was in its bounds once is kept, and one of another type dropped', () => {
    const given = { limit: '9' }
    const flag: RecipeParameter = { name: 'limit', type: 'BOOL', default_value: 'true' }

    expect(bindParameterValues([{ ...limit, value_max: 8 }], given).get('limit')?.value).toBe(9)
    expect(bindParameterValues([flag], given).get('limit')).toBeUndefined()
  })

  test('a name that every object has is not a value', () => {
    const named: RecipeParameter = { name: 'constructor', type: 'STRING', default_value: 'd' }

    expect(bindParameterValues([named], {}).get('constructor')?.value).toBe('d')
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
      const input = { ...content, id, versionId, mode: 'replace' } as const

      expect(decidePublication(managedRecipeDefinition, managed, input)).toEqual([])
    }
  })

  test('newer, publishes nothing anew that was read back from the log and is the same', () => {
    const events = decideInstall(shippedSet)(createManagedRulebook())
    const readBack = JSON.parse(JSON.stringify(events)) as readonly ManagedRulebookEvent[]
    const managed = readBack.reduce(evolveManagedRulebook, createManagedRulebook())

    expect(decideInstall({ ...shippedSet, version: next })(managed)).toEqual([
      { type: 'ManagedSetInstalled', data: { version: next } },
    ])
  })

  test('newer, brings what is another and leaves what the operator changed or retired', () => {
    const managed = managedOf(decideInstall(shippedSet))
    const id = (key: string) => shippedId('rul', key)
    change(managed, otherRule(id('new-user')), otherRecipe(shippedId('rcp', 'signup')), (state) =>
      decideDeletion(managedRuleDefinition, state, { id: id('script-user-agent') }),
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
      otherRule(ruleId),
      otherRecipe(recipeId),
      (state) => decideRestoration(managedRuleDefinition, state, { id: ruleId, earlier: ofRule }),
      (state) =>
        decideRestoration(managedRecipeDefinition, state, { id: recipeId, earlier: ofRecipe }),
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
