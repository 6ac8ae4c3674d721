import { describe, expect, test } from 'vitest'
import type { Plan, PlannedRule } from '../../src/engine/run/plan.ts'
import { decodeResult, type RecordedRecipe } from '../../src/engine/run/recordResult.ts'
import { buildRuleAnswers } from '../../src/engine/run/ruleAnswers.ts'
import { compile, evidenceOf, planOf, recipeOf, ruleOf } from './support/evaluate.ts'

const rule: PlannedRule = ruleOf('rul_a', 'signal.existing_user')
const managed: PlannedRule = { ...rule, rule_id: 'rul_m', type: 'MANAGED' }

describe('the answers of a rule', () => {
  test('are made once for each name, and cannot be changed', () => {
    const answers = buildRuleAnswers(rule)

    const [one, again, other] = ['signal.ip', 'signal.ip', 'signal.ext.a'].map(answers.blockedBy)

    expect(one).toBe(again)
    expect(other).not.toBe(one)
    expect(Object.isFrozen(one?.result)).toBe(true)
  })
})

describe('a record is only put together with the plan it is of', () => {
  const plan: Plan = planOf(
    recipeOf([rule, ruleOf('rul_b', 'signal.ip == "x"')]),
    recipeOf([managed], { recipe_id: 'rcp_2', status: 'SHADOW' }),
  )
  const run = compile(plan).run(evidenceOf({ 'signal.existing_user': true }))
  const recorded = compile(plan).encodeRun(run)
  const [first, second] = recorded.recipes as readonly [RecordedRecipe, RecordedRecipe]

  test.each<readonly [string, readonly RecordedRecipe[]]>([
    ['a recipe is lacking', [first]],
    ['there is one too many', [first, second, second]],
    ['they stand the other way round', [second, first]],
    ['an outcome is lacking', [{ ...first, outcomes: 'T' }, second]],
    ['there is an outcome too many', [{ ...first, outcomes: 'TMT' }, second]],
  ])('not when %s', (_, found) => {
    expect(() => decodeResult(plan, { ...recorded, recipes: found })).toThrow('is not of this plan')
  })
})
