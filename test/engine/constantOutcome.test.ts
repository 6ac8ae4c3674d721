import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  findConstantOutcome,
  newOutcomeBudget,
  sampleValues,
} from '../../src/engine/analyse/constantOutcome.ts'
import { draws } from '../support/draws.ts'
import { anyEvidence, anyRule } from './support/arbitraryGuardedRule.ts'
import { expressionOf, outcomeOf } from './support/evaluate.ts'

const written = (count: number) => Array.from({ length: count }, (_, at) => `"${at}"`).join(', ')
const anyOf = (count: number, one: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => one(at)).join(' || ')

const constant = (text: string) => findConstantOutcome(expressionOf(text))

describe('a rule that always triggers', () => {
  test.each([
    'true',
    '1 + 1 == 2',
    'true || signal.ip == "x"',
    'signal.existing_user || true',
    'signal.ip == "x" || signal.ip != "x"',
    '!(signal.ip == "x") || signal.ip == "x"',
    'signal.existing_user || !signal.existing_user',
    'signal.existing_user == true || signal.existing_user == false',
    'int(signal.ext.n) > 3 || int(signal.ext.n) <= 3',
    'int(signal.ext.n) >= 0 || int(signal.ext.n) < 5',
    '5 > int(signal.ext.n) || int(signal.ext.n) > 4',
    'signal.ip.contains("x") || !signal.ip.contains("x")',
    'signal.ip < "b" || signal.ip >= "b"',
    'request.time > timestamp("2024-01-01T00:00:00Z") || request.time < timestamp("2025-01-01T00:00:00Z")',
    'has(signal.ip) || !has(signal.ip)',
    'has(signal.ip) ? true : signal.ip == "x"',
    '!has(signal.ip) || signal.ip != "x" || signal.ip == "x"',
    'signal.existing_user ? signal.ip != "y" || true : 1 < 2',
  ])('%s', (text) => {
    expect(constant(text)).toBe(true)
  })
})

describe('a rule that never triggers', () => {
  test.each([
    'false',
    'false && signal.ip == "x"',
    'signal.existing_user && 1 > 2',
    'signal.ext.country == "FR" && signal.ext.country == "DE"',
    'signal.ext.country == "FR" && signal.ext.country in ["DE", "BE"]',
    'signal.device_platform == "web" && signal.device_platform != "web"',
    'int(signal.ext.n) > 5 && int(signal.ext.n) < 3',
    'int(signal.ext.n) > 5 && int(signal.ext.n) < 6',
    'double(signal.ext.d) > 5.0 && double(signal.ext.d) < 5.0',
    'int(signal.ext.n) == 2 && int(signal.ext.n) > 2.5',
    'size(signal.ip) > 9 && size(signal.ip) == 3',
    'emailDomain(target.email_address) == "a.com" && emailDomain(target.email_address) == "b.com"',
    'signal.ip > "b" && signal.ip < "a"',
    'has(signal.ip) && !has(signal.ip)',
    '!has(signal.ip) && signal.ip == "x"',
    'has(signal.ip) ? signal.ip == "x" && signal.ip == "y" : false',
    '(signal.existing_user ? list.block : list.allow) && !signal.existing_user && !list.allow',
  ])('%s', (text) => {
    expect(constant(text)).toBe(false)
  })
})

describe('a rule that may come out either way', () => {
  test.each([
    'signal.existing_user',
    'signal.ip == "x"',
    'signal.ip == "x" || signal.ip == "y"',
    'signal.ip != "x" && signal.ip != "y"',
    'int(signal.ext.n) > 3 && int(signal.ext.n) < 5',
    'double(signal.ext.d) > 3.0 && double(signal.ext.d) < 3.5',
    'double(signal.ext.d) > 0.0 && double(signal.ext.d) < 1.0 / 0.0',
    'int(signal.ext.n) > 0 && int(signal.ext.n) < 1.0 / 0.0',
    'double(signal.ext.d) / 2.0 < 3.0 || double(signal.ext.d) / 2.0 >= 3.0',
    'signal.ip > "a" && signal.ip < "b"',
    'has(signal.ip)',
    'has(signal.ip) && signal.ip == "x"',
    'signal.ext.country in ["FR", "DE"] && signal.ext.country != "FR"',
    // of two values, not one
    'signal.ext.a == "x" && signal.ext.b == "y"',
    'int(signal.ext.n) == 1 && double(signal.ext.n) > 5.0',
    // what it would take to know
    'signal.ip.startsWith("a") && signal.ip == "b"',
    '["a", "b"].exists(x, x == signal.ip)',
  ])('%s', (text) => {
    expect(constant(text)).toBeUndefined()
  })

  test('is what a rule is taken for that has too many ways to come out', () => {
    const many = Array.from({ length: 40 }, (_, at) => `signal.ext.a${at} == "x"`).join(' || ')

    expect(constant(`(${many}) && false`)).toBeUndefined()
  })

  test.each([
    ['two long lists', `signal.ip in [${written(300)}] || signal.ext.a in [${written(300)}]`],
    ['one long list', `signal.ip in [${written(450)}] && signal.ip == "x"`],
    ['many names asked for', anyOf(150, (at) => `has(signal.ext.a${at})`)],
    ['many names asked for together', `!(${anyOf(150, (at) => `!has(signal.ext.a${at})`)})`],
    ['many texts of one name', anyOf(160, (at) => `signal.ip == "${at}"`)],
    ['many numbers of one name', anyOf(130, (at) => `int(signal.ext.n) == ${at * 3}`)],
    ['many lists of one name', anyOf(20, (at) => `signal.ip in ["${at}", ${written(28)}]`)],
  ])('is told by a bounded number of comparisons, of %s', (_, text) => {
    const expression = expressionOf(text)
    const means = newOutcomeBudget(expression)
    const granted = means.comparisons

    expect(findConstantOutcome(expression, means)).toBeUndefined()

    expect(granted - means.comparisons).toBeLessThan(230_000)
  })

  test('is told by no more comparisons where it has more of them to be told by', () => {
    const spentOn = (count: number): number => {
      const expression = expressionOf(anyOf(count, (at) => `signal.ip == "${at}"`))
      const means = newOutcomeBudget(expression)
      const granted = means.comparisons
      findConstantOutcome(expression, means)
      return granted - means.comparisons
    }

    expect(spentOn(20)).toBeGreaterThan(0)
    expect(spentOn(160)).toBeLessThan(2 * spentOn(80))
  })
})

test('a rule said to come out one way never comes out the other', () => {
  let constants = 0

  fc.assert(
    fc.property(anyRule, anyEvidence, (text, values) => {
      const said = constant(text)
      if (said === undefined) return
      constants += 1

      expect(outcomeOf(text, values)).not.toBe(String(!said))
    }),
    { numRuns: draws(5000) },
  )
  expect(constants).toBeGreaterThan(draws(100))
})

describe('the values that stand for all', () => {
  const order = [(a: number, b: number) => a < b, (a: number, b: number) => a === b]

  test.each(['int', 'double'] as const)(
    'of type %s come out of comparisons like any other',
    (type) => {
      const number = type === 'int' ? fc.integer({ min: -20, max: 20 }) : fc.double({ noNaN: true })
      const written = fc.array(
        fc.oneof(
          number,
          fc.constantFrom(0.5, -3.25, Number.POSITIVE_INFINITY, Number.NaN),
        ) as fc.Arbitrary<number>,
        { minLength: 1, maxLength: 5 },
      )

      fc.assert(
        fc.property(written, number, (literals, value) => {
          const seen = (of: number) => literals.map((literal) => order.map((is) => is(of, literal)))

          expect(sampleValues(type, literals).map((sample) => seen(Number(sample)))).toContainEqual(
            seen(value),
          )
        }),
        { numRuns: draws(1000) },
      )
    },
  )

  test.each([
    [1.5e308, 1.7e308],
    [-1.7e308, -1.5e308],
    [-1.7e308, 1.7e308],
    [0, 1e-323],
    [-1e-323, 1e-323],
  ])('of type double lie between %s and %s too', (low, high) => {
    const between = sampleValues('double', [high, low]).map(Number)

    expect(between.filter((sample) => sample > low && sample < high)).not.toEqual([])
  })

  test('of type string likewise', () => {
    const short = fc.string({ unit: fc.constantFrom('a', 'b', '\0', '😀', '\uffff'), maxLength: 3 })

    fc.assert(
      fc.property(fc.array(short, { minLength: 1, maxLength: 4 }), short, (literals, value) => {
        const seen = (of: string) => literals.map((literal) => of === literal)

        expect(
          sampleValues('string', literals).map((sample) => seen(String(sample))),
        ).toContainEqual(seen(value))
      }),
      { numRuns: draws(1000) },
    )
  })
})
