import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bindParameters, type ParameterLiteral } from '../../src/engine/language/bindParameters.ts'
import type { Expression, ValueType } from '../../src/engine/language/expression.ts'
import { unparse } from '../../src/engine/language/unparse.ts'
import { compile, evidenceOf, expressionOf, planOf, recipeOf, ruleOf } from './support/evaluate.ts'

const types = new Map<string, ValueType>([
  ['flag', 'bool'],
  ['count', 'int'],
  ['ratio', 'double'],
  ['text', 'string'],
])
const parsed = (text: string) => expressionOf(text, { parameters: types })
const literals = (values: Record<string, string | number | boolean>) =>
  new Map(
    Object.entries(values).map(([name, value]): [string, ParameterLiteral] => [
      name,
      { type: types.get(name) ?? 'string', value },
    ]),
  )
const bound = (text: string, values: Record<string, string | number | boolean>) => {
  const expression = bindParameters(parsed(text), literals(values))
  return expression && unparse(expression)
}

test.each([
  ['signal.ip == param.text', { text: '192.0.2.1' }, 'signal.ip == "192.0.2.1"'],
  ['param.flag ? param.count > 1 : !param.flag', { flag: true, count: 2 }, 'true ? 2 > 1 : !true'],
  ['signal.ip in [param.text, "b"]', { text: 'a' }, 'signal.ip in ["a", "b"]'],
  ['[param.count, 3].exists(x, x == param.count)', { count: -1 }, '[-1, 3].exists(x, x == -1)'],
  ['param.ratio < 0.5 || has(param.ratio)', { ratio: 1 }, '1.0 < 0.5 || true'],
  ['signal.ip == "a"', {}, 'signal.ip == "a"'],
])('%s with %o is %s', (text, values, outcome) => {
  expect(bound(text, values)).toBe(outcome)
})

describe('there is no expression', () => {
  test.each([
    'param.count > 1',
    'signal.ip == "a" && (has(param.count) || [param.count, 1].all(x, x > 0))',
  ])('when a parameter has no value: %s', (text) =>
    expect(bound(text, { text: 'a' })).toBeUndefined(),
  )

  test('when a parameter is converted, which its type does not ask for', () => {
    expect(bound('int(param.text) > 1', { text: '2' })).toBeUndefined()
  })
})

test('the expression it was bound from stays as it is', () => {
  const expression = parsed('[param.count].all(x, x > 1) && param.flag')
  const before = JSON.stringify(expression)

  bindParameters(expression, literals({ count: 1, flag: true }))

  expect(JSON.stringify(expression)).toBe(before)
})

test('a bound rule gives what the rule with the value written in it gives', () => {
  const outcome = (expression: Expression, ip: string) => {
    const rule = { ...ruleOf('rul_1', 'true'), expression }
    const run = compile(planOf(recipeOf([rule]))).run(evidenceOf({ 'signal.ip': ip }))
    return run.recipes[0]?.rules[0]?.outcome
  }
  const value = fc.string({ maxLength: 12 })

  fc.assert(
    fc.property(value, value, (text, ip) => {
      const condition = (name: string) => `signal.ip.contains(${name}) || ${name}.size() > 6`

      const expression = bindParameters(parsed(condition('param.text')), literals({ text }))
      const written = expressionOf(condition(JSON.stringify(text)))

      expect(expression && outcome(expression, ip)).toBe(outcome(written, ip))
    }),
    { numRuns: 200 },
  )
})
