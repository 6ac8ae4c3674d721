import { expect, test } from 'vitest'
import { compilePlan } from '../../src/engine/compilePlan.ts'
import { parseRule } from '../../src/engine/parseRule.ts'
import type { Plan } from '../../src/engine/plan.ts'

const expression = (text: string) => {
  const parsed = parseRule(text)
  if ('problems' in parsed) throw new Error(parsed.problems[0]?.message)
  return parsed.expression
}

test('a rule that holds triggers, one that does not does not, and one without its evidence waits for it', () => {
  const rule = (rule_id: string, text: string, weight: number) => ({
    rule_id,
    type: 'CUSTOM' as const,
    name: rule_id,
    version_id: 'ver_1',
    weight,
    expression: expression(text),
  })
  const plan: Plan = {
    flow_id: 'flo_1',
    flow_version_id: 'ver_1',
    semantics: 1,
    recipes: [
      {
        recipe_id: 'rcp_1',
        version_id: 'ver_1',
        status: 'LIVE',
        threshold: 50,
        rules: [
          rule('rul_1', 'int(signal.ext.cart_total) > 100', 60),
          rule('rul_2', 'signal.ip == "203.0.113.1"', 60),
          rule('rul_3', 'signal.device_id == "x" || true', 60),
        ],
      },
    ],
  }

  const compiled = compilePlan(plan)
  const run = compiled.run(
    new Map([
      ['signal.ext.cart_total', { value: '101', source: 'request' as const }],
      ['signal.ip', { value: '203.0.113.2', source: 'request' as const }],
    ]),
  )

  expect(run.verdict).toBe('FLAG')
  expect(run.recipes[0]?.rules.map((r) => [r.outcome, r.blocked_by])).toEqual([
    ['TRIGGERED', undefined],
    ['NOT_TRIGGERED', undefined],
    ['NOT_EVALUATED', 'signal.device_id'],
  ])
  expect(compiled.render('evl_1', run)).toBe(
    JSON.stringify({ id: 'evl_1', verdict: run.verdict, recipes: run.recipes }),
  )
})
