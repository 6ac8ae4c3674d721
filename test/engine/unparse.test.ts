import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bindParameters } from '../../src/engine/language/bindParameters.ts'
import type { Expression } from '../../src/engine/language/expression.ts'
import { ruleLimits } from '../../src/engine/language/ruleLimits.ts'
import { unparse } from '../../src/engine/language/unparse.ts'
import { draws } from '../support/draws.ts'
import { anyRule } from './support/arbitraryGuardedRule.ts'
import { arbitraryRule } from './support/arbitraryRule.ts'
import { expressionOf, outcomeOf, withoutPlaces } from './support/evaluate.ts'

describe('the canonical text of a rule', () => {
  const rows: readonly (readonly [string, string])[] = [
    ["signal.ip=='a'", 'signal.ip == "a"'],
    ['((signal.existing_user))', 'signal.existing_user'],
    ['signal.ext["total"] == "1"', 'signal.ext.total == "1"'],
    ['signal.ext["in"] == "1"', 'signal.ext["in"] == "1"'],
    ['signal.ext["a b"] == "1"', 'signal.ext["a b"] == "1"'],
    ['has(signal.ext["é"])', 'has(signal.ext["é"])'],
    ['int(signal.ext.n)>3', 'int(signal.ext.n) > 3'],
    ['double(signal.ext.n) > 3.0', 'double(signal.ext.n) > 3.0'],
    ['1e21 > -1.5', '1e+21 > -1.5'],
    ['matches(signal.ip,"a")', 'signal.ip.matches("a")'],
    ['signal.ip.size() == 3', 'size(signal.ip) == 3'],
    ['duration("90m") > duration("1.5s")', 'duration("5400s") > duration("1.5s")'],
    [
      'request.time < timestamp("2024-01-01T01:00:00+01:00")',
      'request.time < timestamp("2024-01-01T00:00:00Z")',
    ],
    ['true && (false || true) && true', 'true && (false || true) && true'],
    ['true && (false && true)', 'true && (false && true)'],
    ['(1 + 2) * 3 == 1 + 2 * 3', '(1 + 2) * 3 == 1 + 2 * 3'],
    ['1 - (2 - 3) == (1 - 2) - 3', '1 - (2 - 3) == 1 - 2 - 3'],
    ['-(-5) == - -5', '-(-5) == -(-5)'],
    ['!(!true)', '!(!true)'],
    ['(true ? 1 : 2) == 1', '(true ? 1 : 2) == 1'],
    ['true ? (false ? true : false) : true', 'true ? (false ? true : false) : true'],
    ['(signal.ip + "x").contains("y")', '(signal.ip + "x").contains("y")'],
    ['["a"].exists(x,x==signal.ip)', '["a"].exists(x, x == signal.ip)'],
    ['inCidr(signal.ip,["10.0.0.0/8"])', 'inCidr(signal.ip, ["10.0.0.0/8"])'],
    ['(1 == 2) == false', '(1 == 2) == false'],
    ['signal.ip in ["a","b"]', 'signal.ip in ["a", "b"]'],
  ]

  test.each(rows)('of %s is %s', (text, canonical) => {
    expect(unparse(expressionOf(text))).toBe(canonical)
  })

  test('parsed again gives the same rule', () => {
    fc.assert(
      fc.property(anyRule, (rule) => {
        const expression = expressionOf(rule)
        const canonical = unparse(expression)
        fc.pre(canonical.length <= ruleLimits.textChars)

        const again = expressionOf(canonical)

        expect(withoutPlaces(again)).toEqual(withoutPlaces(expression))
        expect(unparse(again)).toBe(canonical)
      }),
      { numRuns: draws(1000) },
    )
  })
})

describe('a negative zero', () => {
  const below = '1.0 / -0.0 < double(signal.ext.zero)'

  test.each([
    ['-0.0', '-0.0 == 0.0'],
    ['-(0.0)', '-0.0 == 0.0'],
    ['-1e-400', '-0.0 == 0.0'],
    ['-(-0.0)', '-(-0.0) == 0.0'],
  ])('is kept in text and JSON: %s', (text, canonical) => {
    const expression = expressionOf(`${text} == 0.0`)

    expect(unparse(expression)).toBe(canonical)
    expect(JSON.parse(JSON.stringify(expression))).toEqual(expression)
  })

  test('is one after it has been saved too', () => {
    const saved = JSON.parse(JSON.stringify(expressionOf(below))) as Expression
    const values = { 'signal.ext.zero': '0' }

    expect(outcomeOf(below, values)).toBe('true')
    expect(outcomeOf(saved, values)).toBe('true')
  })

  test('is one as the value of a parameter', () => {
    const parameters = new Map([['ratio', 'double' as const]])
    const rule = expressionOf('1.0 / param.ratio < 0.0', { parameters })

    const bound = bindParameters(rule, new Map([['ratio', { type: 'double', value: -0 }]]))

    expect(bound && unparse(bound)).toBe('1.0 / -0.0 < 0.0')
    expect(JSON.parse(JSON.stringify(bound))).toEqual(bound)
  })
})

test('what is saved is what was compiled, for any rule', () => {
  fc.assert(
    fc.property(arbitraryRule, (text) => {
      const expression = expressionOf(text)

      expect(JSON.parse(JSON.stringify(expression))).toEqual(expression)
    }),
    { numRuns: draws(500) },
  )
})
