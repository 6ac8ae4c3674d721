import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bindParameters, type ParameterLiteral } from '../../src/engine/language/bindParameters.ts'
import type { ValueType } from '../../src/engine/language/expression.ts'
import { unparse } from '../../src/engine/language/unparse.ts'
import { draws } from '../support/draws.ts'
import { expressionOf, outcomeOf, problemsOf } from './support/evaluate.ts'

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

describe('a rule with its parameters bound is the rule with their values written in it', () => {
  const values = fc.record({
    flag: fc.boolean(),
    count: fc.integer({ min: -1000, max: 1000 }),
    ratio: fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }),
      fc.constantFrom(0, -0),
    ),
    text: fc
      .string({ unit: 'grapheme', maxLength: 20 })
      .filter((text) => !/\p{Surrogate}/u.test(text)),
  })
  const written: Readonly<Record<string, (value: never) => string>> = {
    flag: (value: boolean) => String(value),
    count: (value: number) => String(value),
    ratio: (value: number) => {
      const text = Object.is(value, -0) ? '-0.0' : String(value)
      return /^-?\d+$/.test(text) ? `${text}.0` : text
    },
    text: (value: string) => JSON.stringify(value),
  }
  const templates = [
    'param.flag && signal.existing_user',
    'param.flag ? param.count > 3 : !param.flag',
    'int(signal.ext.n) + param.count > 10',
    '1.0 / param.ratio < double(signal.ext.n)',
    'signal.ip == param.text || signal.ip.contains(param.text + "x")',
    '[param.count, 1, 2].exists(x, x == int(signal.ext.n))',
    'has(param.flag) && has(signal.ip) && param.text != signal.ip',
    'signal.ip in [param.text, "203.0.113.7"] == param.flag',
    'param.text.size() > 6 || signal.ip.contains(param.text)',
  ]

  test.each(templates)('%s', (template) => {
    fc.assert(
      fc.property(values, fc.boolean(), (given, arrived) => {
        const literal = template
          .replaceAll(/has\(param\.\w+\)/g, 'true')
          .replaceAll(
            /param\.(\w+)/g,
            (_, name: keyof typeof given) =>
              `(${(written[name] as (value: unknown) => string)(given[name])})`,
          )
        // a part that fails whatever arrives cannot be written
        fc.pre(problemsOf(literal).length === 0)
        const evidence = {
          'signal.existing_user': true,
          'signal.ext.n': '3',
          ...(arrived && { 'signal.ip': '203.0.113.7' }),
        }
        const expression = bindParameters(parsed(template), literals(given))
        const outcome = expression ? outcomeOf(expression, evidence) : 'unbound'

        expect(outcome).toBe(outcomeOf(literal, evidence))
      }),
      { numRuns: draws(200) },
    )
  })
})
