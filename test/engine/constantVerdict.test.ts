import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { analyseRule, findConstantVerdict } from '../../src/engine/analyse/constantVerdict.ts'
import type { PlannedRule } from '../../src/engine/run/plan.ts'
import { draws } from '../support/draws.ts'
import { compile, evidenceOf, planOf, recipeOf, ruleOf } from './support/evaluate.ts'

const open = 'signal.existing_user'
const member = (text: string, weight: number, preempts?: 'FLAG' | 'PASS') =>
  ruleOf(text, text, { weight, ...(preempts && { preempts }) })
const reach = (threshold: number, ...rules: readonly PlannedRule[]) =>
  findConstantVerdict(threshold, rules.map(analyseRule))

describe('a recipe that can never flag', () => {
  const { expression: _, ...gone } = ruleOf('gone', open, { weight: 90 })

  test.each([
    [
      'whose weights together stay below the threshold',
      50,
      [member(open, 30), member('list.block', 19)],
    ],
    ['whose threshold no score reaches', 101, [member(open, 500)]],
    ['without rules', 1, []],
    ['whose heavy rule never triggers', 50, [member(open, 10), member('false', 90)]],
    ['whose heavy rule cannot run', 50, [member(open, 10), gone]],
    ['whose weights are all below zero', 10, [member(open, -40)]],
    ['whose heavy rule only makes it pass', 50, [member(open, 90, 'PASS')]],
    ['whose overriding rule never triggers', 50, [member('1 > 2', 0, 'FLAG')]],
    ['that a rule always makes pass', 10, [member('true', 0, 'PASS'), member(open, 90)]],
    [
      'whose overriding rule comes too late',
      10,
      [member('true', 0, 'PASS'), member(open, 0, 'FLAG')],
    ],
  ])('%s', (_, threshold, rules) => {
    expect(reach(threshold, ...rules)).toBe('never_flags')
  })
})

describe('a recipe that always flags', () => {
  test.each([
    ['whose threshold is zero', 0, [member(open, 30)]],
    ['whose threshold is below zero', -5, []],
    ['whose heavy rule always triggers', 50, [member('true', 60), member(open, 10)]],
    ['that a rule always makes flag', 50, [member('true', 0, 'FLAG')]],
    ['whose sum stays above the threshold', 40, [member('true', 60), member(open, -20)]],
  ])('%s', (_, threshold, rules) => {
    expect(reach(threshold, ...rules)).toBe('always_flags')
  })
})

describe('a recipe that may come to either verdict', () => {
  test.each([
    [
      'whose weights together reach the threshold',
      50,
      [member(open, 30), member('list.block', 20)],
    ],
    ['whose overriding rule may trigger', 50, [member(open, 0, 'FLAG')]],
    ['whose threshold is zero, but for a rule', 0, [member(open, 0, 'PASS')]],
    ['whose score may be pulled down', 40, [member('true', 60), member(open, -30)]],
    ['whose constant rule has to be reached', 50, [member(open, 0, 'PASS'), member('true', 60)]],
    // not evaluated without the signal
    ['whose rule is true whenever it runs', 50, [member('signal.ip == "x" || true', 60)]],
  ])('%s', (_, threshold, rules) => {
    expect(reach(threshold, ...rules)).toBeUndefined()
  })
})

test('what is said of a recipe holds in every evaluation', () => {
  const rule = fc.record({
    text: fc.constantFrom(
      open,
      'list.block',
      '!list.block',
      'true',
      'false',
      'signal.ip == "x" || true',
    ),
    weight: fc.integer({ min: -60, max: 120 }),
    preempts: fc.option(fc.constantFrom('FLAG' as const, 'PASS' as const), {
      nil: undefined,
      freq: 3,
    }),
  })
  const recipes = fc.record({
    threshold: fc.integer({ min: -10, max: 120 }),
    rules: fc.array(rule, { maxLength: 6 }),
  })
  const evidence = fc.record({
    'signal.existing_user': fc.boolean(),
    'list.block': fc.boolean(),
    'signal.ip': fc.constantFrom('', 'x'),
  })
  const said = { never_flags: 0, always_flags: 0 }

  fc.assert(
    fc.property(recipes, evidence, ({ threshold, rules }, values) => {
      const members = rules.map(({ text, weight, preempts }, at) => ({
        ...member(text, weight, preempts),
        rule_id: `rul_${at}`,
      }))
      const found = reach(threshold, ...members)
      if (found === undefined) return
      said[found] += 1

      const run = compile(planOf(recipeOf(members, { threshold }))).run(evidenceOf(values))

      expect(run.verdict).toBe(found === 'never_flags' ? 'PASS' : 'FLAG')
    }),
    { numRuns: draws(3000) },
  )
  expect(said.never_flags).toBeGreaterThan(50)
  expect(said.always_flags).toBeGreaterThan(50)
})
