import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Plan, PlannedRule } from '../../src/engine/run/plan.ts'
import { expandResult, type RecordedRecipe } from '../../src/engine/run/record.ts'
import { itemsJson, jsonWith } from '../../src/engine/run/result.ts'
import { ruleAnswer, ruleAnswers } from '../../src/engine/run/ruleAnswers.ts'
import { draws } from '../support/draws.ts'
import { compile, evidenceOf, planOf, recipeOf, ruleOf } from './support/evaluate.ts'

const rule: PlannedRule = ruleOf('rul_a', 'signal.existing_user')
const managed: PlannedRule = { ...rule, rule_id: 'rul_m', type: 'MANAGED' }

describe('JSON put together from pieces', () => {
  const scalar = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.integer(),
    fc.boolean(),
    fc.maxSafeInteger(),
    fc.constantFrom(null, '"', '\\', '\u2028', '\ud800'),
  )
  const object = fc
    .dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), scalar, { maxKeys: 6 })
    .filter((found) => !('items' in found))

  test('is what JSON.stringify makes of the whole', () => {
    fc.assert(
      fc.property(object, fc.array(fc.jsonValue()), fc.boolean(), (found, items, first) => {
        const whole = first ? { items, ...found } : { ...found, items }
        const text = itemsJson(items, (item) => JSON.stringify(item))

        expect(jsonWith(whole, 'items', text)).toBe(JSON.stringify(whole))
      }),
      { numRuns: draws(500) },
    )
  })
})

describe('the answers of a rule', () => {
  const fields = (found: object) => Object.keys(found)
  const common = ['rule_id', 'type', 'name', 'version_id', 'weight', 'outcome']

  test.each([
    ['T', 'TRIGGERED', common],
    ['N', 'NOT_TRIGGERED', common],
    ['S', 'SKIPPED', common],
    ['U', 'NOT_EVALUATED', [...common, 'unavailable']],
  ] as const)('for the letter %s', (letter, outcome, names) => {
    const { result } = ruleAnswer(rule, letter)

    expect(result.outcome).toBe(outcome)
    expect(fields(result)).toEqual(names)
  })

  test('that waits names the signal, and for a managed one only that data is missing', () => {
    const own = ruleAnswer(rule, 'M', 'signal.ip')
    const theirs = ruleAnswer(managed, 'M', 'signal.ip')

    expect(own.result.blocked_by).toBe('signal.ip')
    expect(theirs.result.blocked_by).toBe('missing_data')
    // for the record, which the customer does not see
    expect(theirs.blockedBy).toBe('signal.ip')
    expect(fields(theirs.result)).toEqual(['rule_id', 'type', 'weight', 'outcome', 'blocked_by'])
  })

  test('are made once for each name, and cannot be changed', () => {
    const answers = ruleAnswers(rule)

    const [one, again, other] = ['signal.ip', 'signal.ip', 'signal.ext.a'].map(answers.blockedBy)

    expect(one).toBe(again)
    expect(other).not.toBe(one)
    expect(Object.isFrozen(one?.result)).toBe(true)
    expect(answers.of(answers.triggered.result)).toBe(answers.triggered)
    expect(one && answers.of(one.result)).toBe(one)
    expect(() => answers.of({ ...answers.triggered.result })).toThrow('is not one of rul_a')
  })
})

describe('a record is only put together with the plan it is of', () => {
  const plan: Plan = planOf(
    recipeOf([rule, ruleOf('rul_b', 'signal.ip == "x"')]),
    recipeOf([managed], { recipe_id: 'rcp_2', status: 'SHADOW' }),
  )
  const run = compile(plan).run(evidenceOf({ 'signal.existing_user': true }))
  const recorded = compile(plan).record(run)
  const [first, second] = recorded as readonly [RecordedRecipe, RecordedRecipe]

  test.each<readonly [string, readonly RecordedRecipe[]]>([
    ['a recipe is lacking', [first]],
    ['there is one too many', [first, second, second]],
    ['they stand the other way round', [second, first]],
    ['an outcome is lacking', [{ ...first, outcomes: 'T' }, second]],
    ['there is an outcome too many', [{ ...first, outcomes: 'TMT' }, second]],
  ])('not when %s', (_, found) => {
    expect(() => expandResult(plan, found)).toThrow('is not of this plan')
  })
})
