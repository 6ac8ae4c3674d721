/** How often the rules of a flow may ask lists, and for countries. */

import { describe, expect, test, vi } from 'vitest'
import { parseRule } from '../../src/engine/language/parse/parseRule.ts'
import { ruleLimits } from '../../src/engine/language/ruleLimits.ts'
import { createManagedRulebook } from '../../src/events/rulebook/managedRulebook.ts'
import type { RulebookState } from '../../src/events/rulebook/rulebook.ts'
import { decideListCreation } from '../../src/state/rulebook/namedListDecisions.ts'
import { decideRecipePublication } from '../../src/state/rulebook/recipes.ts'
import { decidePublication } from '../../src/state/rulebook/resourceDecisions.ts'
import { ruleDefinition } from '../../src/state/rulebook/rules.ts'
import { flow, given, recipe, refusal } from './support/givenRulebook.ts'

const perRule = ruleLimits.lookups
const rulesThatFit = ruleLimits.planLookups / perRule

/** A rule that asks a list for so many signals, from one on. */
function asking(from: number, count: number = perRule) {
  const calls = Array.from({ length: count }, (_, at) => `inList("vip", signal.ext.s${from + at})`)
  const text = calls.join(' || ')
  const parsed = parseRule(text, { lists: new Map([['vip', 'text']]) })
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems))
  return { text, expression: parsed.expression }
}

const rule =
  (id: string, content = asking(0), versionId = `ver_${id}`) =>
  (state: RulebookState) =>
    decidePublication(ruleDefinition, state, {
      id,
      versionId,
      name: id,
      ...content,
      mode: 'create',
    })

const ids = (count: number) => Array.from({ length: count }, (_, at) => `r${at}`)
const rulesOf = (count: number) => ids(count).map((id, at) => rule(id, asking(at * perRule)))
const tooOften = (which: string) =>
  `${which} would ask lists ${ruleLimits.planLookups + perRule} times; at most ${ruleLimits.planLookups} different questions are answered, of which one for a network counts as 4.`

describe('rules that ask lists', () => {
  test('of networks ask as much as four others', () => {
    const made = (state: RulebookState) =>
      decideListCreation(state, 'lst_1', { name: 'vip', kind: 'ip_range' })
    const fitting = ruleLimits.planLookups / perRule / 4

    const state = given(made, ...rulesOf(2), rule('r2', asking(2 * perRule, 1)))

    expect(refusal(() => recipe('rcp', ids(Math.floor(fitting)))(state))).toEqual([])
    expect(refusal(() => recipe('rcp', ids(2))(state))).toHaveLength(1)
  })

  test('fit into a recipe as often as an evaluation asks, and not more', () => {
    const state = given(...rulesOf(rulesThatFit + 1))

    expect(refusal(() => recipe('rcp', ids(rulesThatFit))(state))).toEqual([])
    expect(refusal(() => recipe('rcp', ids(rulesThatFit + 1))(state))).toEqual([
      ['rules', tooOften('A recipe')],
    ])
  })

  test('that ask the same count once', () => {
    const state = given(...ids(500).map((id) => rule(id)))

    expect(refusal(() => recipe('rcp', ids(500))(state))).toEqual([])
  })

  test('fit into a flow over all of its recipes', () => {
    const first = recipe('first', ids(rulesThatFit))
    const second = recipe('second', [`r${rulesThatFit}`])
    const state = given(...rulesOf(rulesThatFit + 1), first, second)

    expect(refusal(() => flow(['first'])(state))).toEqual([])
    expect(refusal(() => flow(['first', 'second'])(state))).toEqual([
      ['recipes', tooOften('A flow')],
    ])
  })

  test('are refused in a recipe of a flow that is full', () => {
    const recipes = [recipe('first', ids(rulesThatFit)), recipe('second', ['r0'])]
    const state = given(...rulesOf(rulesThatFit + 1), ...recipes, flow(['first', 'second']))
    const grown = (own: RulebookState) =>
      decideRecipePublication(
        { own, managed: createManagedRulebook() },
        {
          id: 'second',
          versionId: 'ver_2',
          name: 'second',
          threshold: 50,
          status: 'LIVE',
          rules: [{ rule_id: `r${rulesThatFit}`, weight: 1 }],
          mode: 'replace',
        },
      )

    expect(refusal(() => grown(state))).toEqual([['rules', tooOften('The flow flo')]])
  })

  test('are refused as a new version of a rule there, unless it asks nothing new', () => {
    const rules = [...rulesOf(rulesThatFit), rule('plain', asking(0, 1))]
    const members = [...ids(rulesThatFit), 'plain']
    const state = given(...rules, recipe('first', members), flow(['first']))

    expect(refusal(() => rule('plain', asking(1, 2), 'ver_2')(state))).toEqual([])
    expect(refusal(() => rule('plain', asking(10_000), 'ver_3')(state))).toEqual([
      ['expression', tooOften('A recipe')],
    ])
  })

  test('have each flow looked at once, however many of its recipes name the rule that changes', () => {
    const recipeIds = Array.from({ length: 20 }, (_, at) => `rcp${at}`)
    const flowIds = Array.from({ length: 30 }, (_, at) => `flo${at}`)
    const rules = [...rulesOf(rulesThatFit - 1), rule('changed', asking(10_000, 1))]
    const members = [...ids(rulesThatFit - 1), 'changed']
    const recipes = recipeIds.map((id) => recipe(id, members))
    const state = given(...rules, ...recipes, ...flowIds.map((id) => flow(recipeIds, id)))
    const looks = vi.spyOn(state.flows, 'get')

    rule('changed', asking(10_000, 2), 'ver_2')(state)

    expect(looks).toHaveBeenCalledTimes(flowIds.length)
  })
})

describe('rules that ask for countries', () => {
  const askingCountries = (from: number) => {
    const calls = Array.from(
      { length: perRule },
      (_, at) => `phoneCountry(signal.ext.p${from + at})`,
    )
    const text = calls.map((call) => `${call} == "FR"`).join(' || ')
    const parsed = parseRule(text)
    if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems))
    return { text, expression: parsed.expression }
  }
  const rules = ids(rulesThatFit + 1).map((id, at) => rule(id, askingCountries(at * perRule)))
  const tooMany = (which: string) =>
    `${which} would ask for ${ruleLimits.planLookups + perRule} different countries of numbers; at most ${ruleLimits.planLookups} are answered.`

  test('fit into a recipe and a flow as often as an evaluation answers, and not more', () => {
    const recipes = [recipe('first', ids(rulesThatFit)), recipe('second', [`r${rulesThatFit}`])]
    const state = given(...rules, ...recipes)

    expect(refusal(() => recipe('rcp', ids(rulesThatFit))(state))).toEqual([])
    expect(refusal(() => recipe('rcp', ids(rulesThatFit + 1))(state))).toEqual([
      ['rules', tooMany('A recipe')],
    ])
    expect(refusal(() => flow(['first', 'second'])(state))).toEqual([
      ['recipes', tooMany('A flow')],
    ])
  })

  test('leave the lookups of lists their own limit', () => {
    const lists = ids(rulesThatFit).map((id, at) => rule(`l${id}`, asking(at * perRule)))
    const members = [...ids(rulesThatFit), ...ids(rulesThatFit).map((id) => `l${id}`)]

    expect(refusal(() => recipe('rcp', members)(given(...rules, ...lists)))).toEqual([])
  })
})
