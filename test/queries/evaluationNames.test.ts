import { describe, expect, test } from 'vitest'
import {
  emptyManagedRulebook,
  evolveManagedRulebook,
  type ManagedEvent,
} from '../../src/events/rulebook/managedRulebook.ts'
import {
  emptyRulebook,
  evolveRulebook,
  type RulebookEvent,
} from '../../src/events/rulebook/rulebook.ts'
import { type EarlierNames, namesIn } from '../../src/queries/evaluation/names.ts'

const expression = { kind: 'literal', type: 'bool', value: true, at: [1, 1] } as const

const flow = (version_id: string, name: string): RulebookEvent => ({
  type: 'FlowPublished',
  data: { flow_id: 'flo_1', version_id, name, recipes: [] },
})
const recipe = (version_id: string, name: string): RulebookEvent => ({
  type: 'RecipePublished',
  data: { recipe_id: 'rcp_1', version_id, name, status: 'LIVE', threshold: 1, rules: [] },
})
const managedRule = (version_id: string, description: string): ManagedEvent => ({
  type: 'ManagedRulePublished',
  data: {
    rule_id: 'rul_1',
    version_id,
    name: 'secret',
    description,
    text: 'true',
    expression,
    parameters: [],
  },
})

const namesAfter = (
  own: readonly RulebookEvent[],
  managed: readonly ManagedEvent[] = [],
  earlier?: EarlierNames,
) =>
  namesIn(
    {
      own: own.reduce(evolveRulebook, emptyRulebook()),
      managed: managed.reduce(evolveManagedRulebook, emptyManagedRulebook()),
    },
    earlier,
  )

describe('the names of flows and recipes', () => {
  const renamed = [flow('v1', 'Signup'), flow('v2', 'Registration')]
  /** As the read models give them. */
  const earlier = new Map([
    ['flo_1/v1', 'Signup'],
    ['flo_1/v2', 'Registration'],
    ['rcp_1/v3', 'Carts'],
  ])

  test.each([
    ['v1', 'Signup'],
    ['v2', 'Registration'],
    // of a version that is not known here, and while it is not known which one ran
    ['v9', 'Registration'],
    [undefined, 'Registration'],
  ])('of the version %s is %s', (version, name) => {
    expect(namesAfter(renamed, [], earlier).flow('flo_1', version)).toBe(name)
  })

  test('stay when an earlier version is made current again', () => {
    const back: RulebookEvent = {
      type: 'FlowRestored',
      data: { flow_id: 'flo_1', version_id: 'v1', name: 'Signup', recipes: [] },
    }

    const names = namesAfter([...renamed, back], [], earlier)

    expect(names.flow('flo_1', 'v2')).toBe('Registration')
    expect(names.flow('flo_1', undefined)).toBe('Signup')
  })

  test('are those of this rulebook alone', () => {
    const names = namesAfter([recipe('v3', 'Carts')])

    expect(names.flow('flo_1', 'v1')).toBeUndefined()
    expect(names.recipe('rcp_2', 'v3')).toBeUndefined()
    expect(names.flow('rcp_1', 'v3')).toBeUndefined()
  })
})

describe('a managed rule', () => {
  const written = [managedRule('v1', 'Looks here.'), managedRule('v2', 'Looks there.')]

  test('keeps its description when the operator deletes it', () => {
    const retired: ManagedEvent = { type: 'ManagedRuleRetired', data: { rule_id: 'rul_1' } }

    const names = namesAfter([], [...written, retired], new Map([['rul_1/v1', 'Looks here.']]))

    expect(names.managedRule('rul_1', 'v1')).toBe('Looks here.')
    expect(names.managedRule('rul_1', '-')).toBe('Looks there.')
  })
})
