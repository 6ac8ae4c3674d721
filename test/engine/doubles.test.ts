import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findOperationById } from '../../src/engine/language/operators/operationTable.ts'
import { parseDoubleText } from '../../src/engine/language/values/numbers.ts'
import { draws } from '../support/draws.ts'
import { outcomeOf } from './support/evaluate.ts'

/** Names for the doubles that no literal can say. */
const special = {
  nan: '(0.0 / double(signal.ext.zero))',
  inf: '(1.0 / double(signal.ext.zero))',
  minf: '(-1.0 / double(signal.ext.zero))',
  mzero: '(-0.0 * double(signal.ext.one))',
}
const values = {
  'signal.ext.zero': '0',
  'signal.ext.one': '1',
  'signal.ext.max': '1.7976931348623157e308',
}

function outcome(rule: string): string {
  const text = rule.replaceAll(/@(\w+)/g, (_, name: keyof typeof special) => special[name])
  return outcomeOf(text, values)
}

describe('what is not a number', () => {
  test.each([
    ['@nan == @nan', 'false'],
    ['@nan != @nan', 'true'],
    ['@nan < 1.0', 'false'],
    ['@nan <= 1.0', 'false'],
    ['@nan > 1.0', 'false'],
    ['@nan >= 1.0', 'false'],
    ['1.0 < @nan', 'false'],
    ['1.0 >= @nan', 'false'],
    ['@nan < 1', 'false'],
    ['@nan == 0', 'false'],
    ['@nan != 0', 'true'],
    ['!(@nan < 1.0) && !(@nan >= 1.0)', 'true'],
    ['@nan in [0.0, 1.0]', 'false'],
    ['@nan in [@nan]', 'false'],
    ['[@nan].exists(x, x == x)', 'false'],
    ['[@nan].all(x, x != x)', 'true'],
    ['@nan + 1.0 == @nan + 1.0', 'false'],
    ['@inf - @inf == 0.0', 'false'],
    ['@inf * 0.0 == 0.0', 'false'],
    ['(true ? @nan : 1.0) == 1.0', 'false'],
  ])('%s is %s', (rule, expected) => {
    expect(outcome(rule)).toBe(expected)
  })

  test('is no whole number', () => {
    expect(outcome('int(@nan) == 0')).toBe('missing signal.ext.zero')
  })
})

describe('what is infinite', () => {
  test.each([
    ['@inf > double(signal.ext.max)', 'true'],
    ['@minf < -double(signal.ext.max)', 'true'],
    ['@inf == @inf && @minf == @minf && @inf != @minf', 'true'],
    ['@inf > 9007199254740991', 'true'],
    ['-9007199254740991 > @minf', 'true'],
    ['double(signal.ext.max) * 2.0 == @inf', 'true'],
    ['-@inf == @minf', 'true'],
    ['1.0 / @inf == 0.0', 'true'],
    ['@inf in [1.0, 2.0]', 'false'],
  ])('%s is %s', (rule, expected) => {
    expect(outcome(rule)).toBe(expected)
  })

  test.each(['int(@inf) > 0', 'int(@minf) < 0'])('%s is no whole number', (rule) => {
    expect(outcome(rule)).toBe('missing signal.ext.zero')
  })
})

describe('a negative zero', () => {
  test.each([
    ['@mzero == 0.0', 'true'],
    ['@mzero == 0', 'true'],
    ['@mzero < 0.0', 'false'],
    ['@mzero >= 0.0', 'true'],
    ['@mzero in [0.0]', 'true'],
    ['@mzero in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]', 'true'],
    ['1.0 / @mzero < 0.0', 'true'],
    ['1.0 / (@mzero + 0.0) > 0.0', 'true'],
    ['1.0 / (@mzero + @mzero) < 0.0', 'true'],
    ['1.0 / double(int(@mzero)) > 0.0', 'true'],
    ['1.0 / -(@mzero) > 0.0', 'true'],
  ])('%s is %s', (rule, expected) => {
    expect(outcome(rule)).toBe(expected)
  })
})

describe('ints among doubles', () => {
  const any = fc.oneof(
    fc.double({ noNaN: true }),
    fc.integer({ min: -5, max: 5 }),
    fc.integer({ min: -10, max: 10 }).map((n) => n / 2),
    fc.constantFrom(2 ** 53 - 1, 2 ** 53, -(2 ** 53), Number.MAX_VALUE),
  )
  const whole = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.maxSafeInteger())

  /** The sign of `a - b`, found without subtracting doubles. */
  function order(a: number, b: number): number {
    if (!Number.isFinite(b)) return b > 0 ? -1 : 1
    const below = BigInt(Math.floor(b))
    const difference = BigInt(a) - below
    if (difference !== 0n) return difference > 0n ? 1 : -1
    return Number.isInteger(b) ? 0 : -1
  }

  test('compare by what both are worth', () => {
    fc.assert(
      fc.property(whole, any, (int, double) => {
        const sign = order(int, double)
        const results = ['<', '<=', '==', '!=', '>=', '>'].map((name) => {
          const id = findOperationById(name) ? name : `${name}(int, double)`
          return findOperationById(id)?.apply(int, double)
        })

        expect(results).toEqual([sign < 0, sign <= 0, sign === 0, sign !== 0, sign >= 0, sign > 0])
      }),
      { numRuns: draws(600) },
    )
  })
})

describe('a decimal text read as a double', () => {
  const digits = (max: number) =>
    fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: max })

  /** Whether the double is the nearest to `digits / 10^places`: no neighbour is nearer. */
  function isNearest(value: number, text: string): boolean {
    const [before = '', after = ''] = text.split('.')
    const scale = 10n ** BigInt(after.length)
    const exact = BigInt(before + after)
    const distance = (candidate: number): bigint => {
      // in units of 2^-200 of the scaled number: exact for all these texts
      const unit = 2n ** 200n
      const scaled = toUnits(candidate) * scale
      const difference = scaled - exact * unit
      return difference < 0n ? -difference : difference
    }
    const own = distance(value)
    return [neighbour(value, 1), neighbour(value, -1)].every((other) => distance(other) >= own)
  }

  /** The double in units of 2^-200; all doubles asked about here are multiples. */
  function toUnits(value: number): bigint {
    const bits = new DataView(new ArrayBuffer(8))
    bits.setFloat64(0, value)
    const raw = bits.getBigUint64(0)
    const exponent = Number((raw >> 52n) & 0x7ffn)
    const mantissa = (raw & 0xfffffffffffffn) + (exponent === 0 ? 0n : 1n << 52n)
    const shift = (exponent === 0 ? 1 : exponent) - 1075 + 200
    const size = shift >= 0 ? mantissa << BigInt(shift) : mantissa >> BigInt(-shift)
    return raw >> 63n === 1n ? -size : size
  }

  function neighbour(value: number, step: number): number {
    if (value === 0) return step * Number.MIN_VALUE
    const bits = new DataView(new ArrayBuffer(8))
    bits.setFloat64(0, value)
    bits.setBigUint64(0, bits.getBigUint64(0) + BigInt(step))
    return bits.getFloat64(0)
  }

  test('is the nearest there is, short or long', () => {
    fc.assert(
      fc.property(digits(16), fc.option(digits(12), { nil: undefined }), (before, after) => {
        const text = after === undefined ? before : `${before}.${after}`
        const value = parseDoubleText(text)

        expect(value).toBeDefined()
        expect(isNearest(value ?? Number.NaN, text)).toBe(true)
      }),
      { numRuns: draws(800) },
    )
  })

  test.each([
    ['0.1', 0.1],
    ['.1', 0.1],
    ['00.10', 0.1],
    ['1.', 1],
    ['-1.5', -1.5],
    ['+.5', 0.5],
    ['1E-3', 0.001],
    ['123456789012345', 123_456_789_012_345],
    ['1234567890123456', 1_234_567_890_123_456],
    ['0.00000000000001', 1e-14],
    ['.000000000000001', 1e-15],
    ['9007199254740993', 9_007_199_254_740_992],
    ['0.30000000000000004', 0.300_000_000_000_000_04],
    ['5e-324', Number.MIN_VALUE],
    ['2e-324', 0],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    ['-0', -0],
    ['-0.0', -0],
    ['+0', 0],
  ])('%s is %s', (text, value) => {
    expect(parseDoubleText(text)).toBe(value)
  })

  test.each([
    '1.7976931348623159e308',
    ...['1e309', 'Infinity', 'NaN', '0x10', '', '.', '1,5', ' 1', '1e'],
    '-1e309',
    '9'.repeat(400),
    '1e+',
    '1e1.5',
    '..1',
    '1..',
    '1.2.3',
    '+',
    '-',
    '+-1',
    '1f',
    '0b1',
    '1_000',
    '٣.٥',
    '\u00a01',
    '1\u2028',
  ])('%j is none', (text) => {
    expect(parseDoubleText(text)).toBeUndefined()
  })
})
