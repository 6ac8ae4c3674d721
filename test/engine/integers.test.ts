import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findOperationById } from '../../src/engine/language/operators/operationTable.ts'
import { draws } from '../support/draws.ts'
import { outcomeOf, problemsOf } from './support/evaluate.ts'

const largest = Number.MAX_SAFE_INTEGER
const edges = [0, 1, -1, 2, -2, 3, 7, 2 ** 26, 2 ** 27, 94906265, 94906266, 2 ** 52, largest]
const anyInt = fc.oneof(
  fc.constantFrom(...edges, ...edges.map((edge) => 0 - edge)),
  fc.integer({ min: -1000, max: 1000 }),
  fc.maxSafeInteger(),
)

/** What whole numbers of any size give, where the result is one that rules have. */
const exactly: Readonly<Record<string, (a: bigint, b: bigint) => bigint | undefined>> = {
  '+(int, int)': (a, b) => a + b,
  '-(int, int)': (a, b) => a - b,
  '*(int, int)': (a, b) => a * b,
  '/(int, int)': (a, b) => (b === 0n ? undefined : a / b),
  '%(int, int)': (a, b) => (b === 0n ? undefined : a % b),
  '-(int)': (a) => -a,
}

function withinRange(exact: bigint | undefined): number | undefined {
  if (exact === undefined) return undefined
  const limit = BigInt(largest)
  return exact > limit || exact < -limit ? undefined : Number(exact)
}

function apply(id: string, a: number, b = 0): unknown {
  const found = findOperationById(id)
  if (!found) throw new Error(`no operation ${id}`)
  return found.apply(a, b)
}

describe('whole numbers are exact or fail', () => {
  test.each(Object.entries(exactly))(
    '%s gives what whole numbers of any size give',
    (id, exact) => {
      fc.assert(
        fc.property(anyInt, anyInt, (a, b) => {
          const expected = withinRange(exact(BigInt(a), BigInt(b)))

          const given = apply(id, a, b)

          expect(given).toBe(expected)
          expect(Object.is(given, -0)).toBe(false)
        }),
        { numRuns: draws(1500) },
      )
    },
  )
})

describe('in a rule', () => {
  const values = {
    'signal.ext.largest': String(largest),
    'signal.ext.least': String(-largest),
    'signal.ext.root': '94906265',
    'signal.ext.above': '94906266',
    'signal.ext.zero': '0',
    'signal.ext.one': '1',
    'signal.ext.minus': '-1',
  }
  const name = (text: string) => text.replaceAll(/@(\w+)/g, 'int(signal.ext.$1)')

  test.each([
    ['@largest + @zero == 9007199254740991', 'true'],
    ['@largest + @one > 0', 'missing signal.ext.largest'],
    ['@one + @largest > 0', 'missing signal.ext.one'],
    ['@least - @zero == -9007199254740991', 'true'],
    ['@least - @one < 0', 'missing signal.ext.least'],
    ['@least + @minus < 0', 'missing signal.ext.least'],
    ['@largest - @largest == 0', 'true'],
    ['@largest + @least == 0', 'true'],
    ['@largest - @least > 0', 'missing signal.ext.largest'],
    ['@root * @root == 9007199136250225', 'true'],
    ['@above * @above > 0', 'missing signal.ext.above'],
    ['-@least == @largest', 'true'],
    ['@least / @minus == @largest', 'true'],
    ['@largest / 2 == 4503599627370495', 'true'],
    ['@least / 2 == -4503599627370495', 'true'],
    ['@largest % 2 == 1 && @least % 2 == -1', 'true'],
    ['@zero / @minus == 0 && 1.0 / double(@zero / @minus) > 0.0', 'true'],
    ['1.0 / double(@least % @one) > 0.0', 'true'],
    ['@one / @zero == 0', 'missing signal.ext.one'],
    ['@zero / @zero == 0', 'missing signal.ext.zero'],
    ['@one % @zero == 0', 'missing signal.ext.one'],
    ['@zero % @largest == 0', 'true'],
  ])('%s is %s', (rule, outcome) => {
    expect(outcomeOf(name(rule), values)).toBe(outcome)
  })

  test.each(['9007199254740991', '-9007199254740991', '0x1fffffffffffff'])(
    'the literal %s is one',
    (literal) => {
      expect(problemsOf(`${literal} != 1`)).toEqual([])
    },
  )

  test.each(['9007199254740992', '-9007199254740992', '0x20000000000000', '99999999999999999999'])(
    'the literal %s is refused, for it would not stay what it is',
    (literal) => {
      expect(problemsOf(`int(signal.ext.n) != ${literal}`)).toHaveLength(1)
    },
  )
})

describe('a text read as a whole number', () => {
  const asInt = (text: string) => findOperationById('int(string)')?.apply(text, '')

  test('is the number that its digits say, or none beyond what is exact', () => {
    const digits = fc.string({
      unit: fc.constantFrom(...'0123456789'),
      minLength: 1,
      maxLength: 20,
    })
    const sign = fc.constantFrom('', '+', '-')

    fc.assert(
      fc.property(sign, digits, (before, text) => {
        const exact = BigInt(text) * (before === '-' ? -1n : 1n)

        const given = asInt(before + text)

        expect(given).toBe(withinRange(exact))
        expect(Object.is(given, -0)).toBe(false)
      }),
      { numRuns: draws(1000) },
    )
  })

  test('is none with any character in it that is neither digit nor a sign in front', () => {
    const alien = fc.constantFrom(
      ...[' ', '.', 'e', 'x', '_', ',', '+', '-', '\n', '\u0660', '\uff11', 'n'],
    )

    fc.assert(
      fc.property(fc.nat(), alien, fc.nat({ max: 10 }), (number, char, at) => {
        const text = String(number)
        const place = 1 + (at % text.length)

        expect(asInt(text.slice(0, place) + char + text.slice(place))).toBeUndefined()
      }),
    )
  })

  test.each(['', ' 1', '١', '--1', '+', '-'])('%j is none', (text) => {
    expect(asInt(text)).toBeUndefined()
  })

  test('written by string() reads back the same', () => {
    fc.assert(
      fc.property(anyInt, (value) => {
        const text = findOperationById('string(int)')?.apply(value, '')

        expect(text).toMatch(/^-?\d+$/)
        expect(asInt(String(text))).toBe(value)
      }),
    )
  })
})

describe('a double becomes a whole number', () => {
  const asInt = (value: number) => findOperationById('int(double)')?.apply(value, '')

  test.each([
    [0.999999999999, 0],
    [-0.999999999999, 0],
    [-0, 0],
    [1.5, 1],
    [-1.5, -1],
    [2 ** 53 - 1, 2 ** 53 - 1],
    [2 ** 53, undefined],
    [-(2 ** 53), undefined],
    [1e300, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [Number.NEGATIVE_INFINITY, undefined],
    [Number.NaN, undefined],
    [Number.MIN_VALUE, 0],
    [-Number.MIN_VALUE, 0],
  ])('%s is %s', (value, whole) => {
    expect(asInt(value)).toBe(whole)
    expect(Object.is(asInt(value), -0)).toBe(false)
  })

  test('by what stands before the point of its decimal text', () => {
    const cents = fc.integer({ min: -1e9, max: 1e9 })

    fc.assert(
      fc.property(cents, (value) => {
        const [before] = (value / 100).toFixed(2).split('.')

        expect(asInt(value / 100)).toBe(Number(before) + 0)
      }),
    )
  })
})
