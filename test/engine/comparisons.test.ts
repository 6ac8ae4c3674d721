import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { draws } from '../support/draws.ts'
import { outcomeOf, type Values } from './support/evaluate.ts'

/** Where the sides of a comparison can stand: each of these runs on a way of its own. */
interface Sides {
  readonly left: string
  readonly right: string
}

const symbols = ['<', '<=', '==', '!=', '>=', '>'] as const

/** What each symbol says of the sign of a difference. */
function holds(symbol: (typeof symbols)[number], sign: number): boolean {
  const about = { '<': [-1], '<=': [-1, 0], '==': [0], '!=': [-1, 1], '>=': [0, 1], '>': [1] }
  return about[symbol].includes(sign)
}

/** `a` and `b` as names and as written in the rule, in all four ways. */
function waysOf(name: (key: string) => string, a: string, b: string): readonly Sides[] {
  return [
    { left: name('a'), right: b },
    { left: a, right: name('b') },
    { left: name('a'), right: name('b') },
    { left: `(list.block ? ${name('a')} : ${a})`, right: `(list.block ? ${b} : ${name('b')})` },
  ]
}

function expectOrder(ways: readonly Sides[], values: Values, sign: number): void {
  for (const symbol of symbols) {
    for (const { left, right } of ways) {
      const rule = `${left} ${symbol} ${right}`

      expect([rule, outcomeOf(rule, { ...values, 'list.block': true })]).toEqual([
        rule,
        String(holds(symbol, sign)),
      ])
    }
  }
}

/** The points of a text one after another; half a pair is a point of its own. */
function pointsOf(text: string): readonly number[] {
  const points: number[] = []
  for (let at = 0; at < text.length; at++) {
    const point = text.codePointAt(at) ?? 0
    points.push(point)
    if (point > 0xffff) at += 1
  }
  return points
}

function textOrder(a: string, b: string): number {
  const [left, right] = [pointsOf(a), pointsOf(b)]
  for (let at = 0; ; at++) {
    if (at === left.length || at === right.length) return Math.sign(left.length - right.length)
    const difference = (left[at] ?? 0) - (right[at] ?? 0)
    if (difference !== 0) return Math.sign(difference)
  }
}

describe('texts are ordered by code points on every way', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', 'z', 'é', '\ud7ff', '\ue000', '\uffff', '😀', '𐀀'),
    minLength: 1,
    maxLength: 3,
  })
  const near = fc.oneof(
    fc.tuple(text, text),
    fc.tuple(text, text).map(([a, b]): [string, string] => [a, a + b]),
    text.map((a): [string, string] => [a, a]),
  )

  test('for any two texts', () => {
    fc.assert(
      fc.property(near, ([a, b]) => {
        const ways = waysOf((key) => `signal.ext.${key}`, JSON.stringify(a), JSON.stringify(b))

        expectOrder(ways, { 'signal.ext.a': a, 'signal.ext.b': b }, textOrder(a, b))
      }),
      { numRuns: draws(30) },
    )
  })

  test.each([
    ['a', 'B', 1],
    ['Z', 'a', -1],
    ['a', 'a ', -1],
    ['10', '9', -1],
    ['é', 'z', 1],
    ['e\u0301', 'é', -1],
    ['\ud7ff', '😀', -1],
    ['\ue000', '😀', -1],
    ['\uffff', '𐀀', -1],
    ['😀', '😁', -1],
    ['a😀', 'a\uffffz', 1],
  ])('%j against %j', (a, b, sign) => {
    const ways = waysOf((key) => `signal.ext.${key}`, JSON.stringify(a), JSON.stringify(b))

    expectOrder(ways, { 'signal.ext.a': a, 'signal.ext.b': b }, sign)
  })
})

describe('numbers are ordered by what they are worth on every way', () => {
  const int = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.maxSafeInteger())
  const half = fc.integer({ min: -8, max: 8 }).map((n) => n / 2)
  const doubleText = (value: number) => (Number.isInteger(value) ? `${value}.0` : String(value))
  const ints = (key: string) => `int(signal.ext.${key})`
  const doubles = (key: string) => `double(signal.ext.${key})`

  test('for any two ints', () => {
    fc.assert(
      fc.property(int, int, (a, b) => {
        const values = { 'signal.ext.a': String(a), 'signal.ext.b': String(b) }
        const difference = BigInt(a) - BigInt(b)

        expectOrder(
          waysOf(ints, `(${a})`, `(${b})`),
          values,
          Number(difference > 0n) - Number(difference < 0n),
        )
      }),
      { numRuns: draws(20) },
    )
  })

  test('for any two doubles', () => {
    fc.assert(
      fc.property(half, half, (a, b) => {
        const values = { 'signal.ext.a': String(a), 'signal.ext.b': String(b) }
        const ways = waysOf(doubles, `(${doubleText(a)})`, `(${doubleText(b)})`)

        expectOrder(ways, values, Math.sign(a * 2 - b * 2))
      }),
      { numRuns: draws(20) },
    )
  })

  test('for an int and a double', () => {
    fc.assert(
      fc.property(fc.integer({ min: -4, max: 4 }), half, (a, b) => {
        const values = { 'signal.ext.a': String(a), 'signal.ext.b': String(b) }
        const ways = [
          { left: ints('a'), right: `(${doubleText(b)})` },
          { left: `(${a})`, right: doubles('b') },
          { left: ints('a'), right: doubles('b') },
        ]

        expectOrder(ways, values, Math.sign(2 * a - 2 * b))
      }),
      { numRuns: draws(20) },
    )
  })
})

describe('bools and times are ordered on every way', () => {
  test.each([
    [false, false, 0],
    [false, true, -1],
    [true, false, 1],
    [true, true, 0],
  ])('%s against %s', (a, b, sign) => {
    const ways = waysOf((key) => `bool(signal.ext.${key})`, String(a), String(b))

    expectOrder(ways, { 'signal.ext.a': String(a), 'signal.ext.b': String(b) }, sign)
  })

  test('moments by when they are, whatever zone they are written in', () => {
    const rows = [
      ['2024-02-29T12:00:00Z', '2024-02-29T13:00:00+01:00', 0],
      ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00+01:00', 1],
      ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.001Z', -1],
      ['1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00Z', -1],
    ] as const

    for (const [a, b, sign] of rows) {
      const written = (text: string) => `timestamp("${text}")`
      const ways = waysOf((key) => `timestamp(signal.ext.${key})`, written(a), written(b))
      expectOrder(ways, { 'signal.ext.a': a, 'signal.ext.b': b }, sign)
    }
  })
})

describe('membership is equality with one of the items', () => {
  const item = fc.constantFrom('a', 'b', 'A', 'é', '😀', 'ab', ' a')

  test('for texts, whether the list is all written or not, short or long', () => {
    fc.assert(
      fc.property(item, fc.array(item, { minLength: 1, maxLength: 20 }), (sought, items) => {
        const written = items.map((text) => JSON.stringify(text))
        const values = { 'signal.ext.a': sought, 'signal.ext.last': items.at(-1) ?? '' }
        const expected = String(items.some((text) => text === sought))

        expect(outcomeOf(`signal.ext.a in [${written.join(', ')}]`, values)).toBe(expected)
        expect(
          outcomeOf(
            `signal.ext.a in [${[...written.slice(0, -1), 'signal.ext.last'].join(', ')}]`,
            values,
          ),
        ).toBe(expected)
        expect(outcomeOf(`[${written.join(', ')}].exists(x, x == signal.ext.a)`, values)).toBe(
          expected,
        )
      }),
      { numRuns: draws(60) },
    )
  })

  test.each([
    ['int(signal.ext.n) in [1, 2, 3]', 'true'],
    ['int(signal.ext.n) in [1.0, 2.0, 3.0]', 'true'],
    ['double(signal.ext.n) in [1, 2, 3]', 'true'],
    ['double(signal.ext.n) in [2.5, 3.5]', 'false'],
    ['signal.ext.n in ["1", "2", "2.0"]', 'true'],
    ['signal.ext.n in ["2.0", "02", "+2", " 2"]', 'false'],
    ['duration("2s") in [duration("1s"), duration("2000ms")]', 'true'],
    ['timestamp("2024-01-01T00:00:00Z") in [timestamp("2024-01-01T01:00:00+01:00")]', 'true'],
    ['list.block in [true]', 'false'],
    ['list.block in [list.block]', 'true'],
    ['!(signal.ext.n in ["2"]) in [false]', 'true'],
  ])('%s is %s', (rule, outcome) => {
    expect(outcomeOf(rule, { 'signal.ext.n': '2', 'list.block': false })).toBe(outcome)
  })
})
