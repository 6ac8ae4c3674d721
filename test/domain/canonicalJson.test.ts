import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson } from '../../src/domain/text/canonicalJson.ts'

test('the example of RFC 8785 comes out as the RFC has it', () => {
  const value = {
    numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
    string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
    literals: [null, true, false],
  }

  expect(canonicalJson(value)).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  )
})

test('keys stand in the order of their UTF-16 units', () => {
  const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1f600}': 5, '\u0080': 6, ö: 7 }

  const text = canonicalJson(value)

  // the order given in RFC 8785, section 3.2.3
  expect(Object.values(JSON.parse(text.replace('"1"', '"_1"')))).toEqual([2, 4, 6, 7, 1, 5, 3])
})

test('the order in which members were set does not matter', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const turned = Object.fromEntries(Object.entries(value).reverse())

      expect(canonicalJson(turned)).toBe(canonicalJson(value))
    }),
  )
})

test('the text says the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

test('different values have different texts', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      fc.pre(JSON.stringify(a) !== JSON.stringify(b))
      const same = canonicalJson(a) === canonicalJson(b)

      expect(same).toBe(sameJson(a, b))
    }),
  )
})

function sameJson(a: unknown, b: unknown): boolean {
  try {
    expect(JSON.parse(JSON.stringify(a))).toEqual(JSON.parse(JSON.stringify(b)))
    return true
  } catch {
    return false
  }
}

test('a member that is undefined is left out, an own key named __proto__ is not', () => {
  expect(canonicalJson({ b: undefined, a: 1 })).toBe('{"a":1}')
  expect(canonicalJson(JSON.parse('{"__proto__":1}'))).toBe('{"__proto__":1}')
})

test.each([
  ['undefined', undefined],
  ['undefined in a list', [undefined]],
  ['a function', () => 1],
  ['a bigint', 1n],
  ['a symbol', Symbol('a')],
  ['not a number', Number.NaN],
  ['infinity', [Number.POSITIVE_INFINITY]],
])('%s is refused', (_, value) => {
  expect(() => canonicalJson(value)).toThrow('JSON has no form')
})

test('a value of 64 levels is taken and a deeper one refused', () => {
  const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)])

  expect(canonicalJson(deep(64))).toHaveLength(129)
  expect(() => canonicalJson(deep(65))).toThrow('deeper than 64')
})
