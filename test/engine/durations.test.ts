import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findOperationById } from '../../src/engine/language/operators/operationTable.ts'
import {
  formatDuration,
  isFinerThanMs,
  parseDuration,
} from '../../src/engine/language/values/time.ts'
import { draws } from '../support/draws.ts'
import { outcomeOf } from './support/evaluate.ts'

/** Nanoseconds of each unit, as the specification of CEL has them. */
const units: Readonly<Record<string, bigint>> = {
  h: 3600n * 10n ** 9n,
  m: 60n * 10n ** 9n,
  s: 10n ** 9n,
  ms: 10n ** 6n,
  us: 1000n,
  µs: 1000n,
  ns: 1n,
}

interface Part {
  readonly whole: number
  readonly fraction: string
  readonly unit: string
}

const anyPart: fc.Arbitrary<Part> = fc.record({
  whole: fc.nat({ max: 99_999 }),
  fraction: fc.string({ unit: fc.constantFrom('0', '1', '5', '9'), maxLength: 4 }),
  unit: fc.constantFrom(...Object.keys(units)),
})
const anyParts = fc.array(anyPart, { minLength: 1, maxLength: 4 })
const anySign = fc.constantFrom('', '+', '-')

const textOf = (parts: readonly Part[]) =>
  parts.map(({ whole, fraction, unit }) => `${whole}${fraction && '.'}${fraction}${unit}`).join('')

/** Each part to the nanosecond, what is finer dropped. */
function nanosOf(parts: readonly Part[]): bigint {
  return parts.reduce((sum, { whole, fraction, unit }) => {
    const scale = 10n ** BigInt(fraction.length)
    const scaled = BigInt(whole) * scale + BigInt(fraction || '0')
    return sum + (scaled * (units[unit] ?? 0n)) / scale
  }, 0n)
}

describe('a duration in text', () => {
  test('is the sum of its parts, in whole milliseconds towards zero', () => {
    fc.assert(
      fc.property(anySign, anyParts, (sign, parts) => {
        const ms = Number(nanosOf(parts) / 1_000_000n)

        expect(parseDuration(sign + textOf(parts))).toBe(sign === '-' ? 0 - ms : ms)
      }),
      { numRuns: draws(500) },
    )
  })

  test('is finer than milliseconds where its nanoseconds are no whole million', () => {
    fc.assert(
      fc.property(anySign, anyParts, (sign, parts) => {
        expect(isFinerThanMs(sign + textOf(parts))).toBe(nanosOf(parts) % 1_000_000n !== 0n)
      }),
      { numRuns: draws(500) },
    )
  })

  test('is none with anything between, before or behind its parts', () => {
    const alien = fc.constantFrom(' ', '-', '+', 'd', 'S', 'e3', ',', '\n', 'M', '٣s')

    fc.assert(
      fc.property(anyParts, alien, fc.boolean(), (parts, text, before) => {
        const right = textOf(parts)

        // a sign in front is the one thing that may stand there
        fc.pre(!(before && (text === '-' || text === '+')))
        expect(parseDuration(before ? text + right : right + text)).toBeUndefined()
      }),
    )
  })

  test.each([
    ['87660000h', 315_576_000_000_000],
    ['-87660000h', -315_576_000_000_000],
    ['87660000h0.9ms', 315_576_000_000_000],
    ['87660000h1ms', undefined],
    ['315576000000s', 315_576_000_000_000],
    ['315576000000.001s', undefined],
    [`${'9'.repeat(62)}ns`, undefined],
    [`0.${'0'.repeat(60)}1s`, 0],
    [`0.${'0'.repeat(61)}1s`, undefined],
    ['-0', 0],
    ['+0', 0],
    ['-0s', 0],
    ['00', undefined],
    ['0.0', undefined],
    ['.s', undefined],
    ['1.5', undefined],
    ['1m1', undefined],
    ['µs', undefined],
    ['', undefined],
    ['-', undefined],
    ['--1s', undefined],
    ['1e3s', undefined],
    ['.5s', 500],
    ['1.s', 1000],
    ['1h'.repeat(33), undefined],
  ])('%j is %s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })
})

describe('a duration written as text', () => {
  test.each([
    [0, '0s'],
    [1, '0.001s'],
    [-1, '-0.001s'],
    [10, '0.01s'],
    [100, '0.1s'],
    [1000, '1s'],
    [1001, '1.001s'],
    [-1500, '-1.5s'],
    [60_000, '60s'],
    [86_400_000, '86400s'],
    [315_576_000_000_000, '315576000000s'],
    [-315_575_999_999_999, '-315575999999.999s'],
  ])('%s ms is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
    expect(outcomeOf(`string(duration(signal.ext.d)) == "${text}"`, { 'signal.ext.d': text })).toBe(
      'true',
    )
  })
})

describe('the whole hours, minutes and seconds of a duration', () => {
  test('are what is left when the rest is dropped, below zero too', () => {
    const anySpan = fc.integer({ min: -315_576_000_000_000, max: 315_576_000_000_000 })
    const sizes = { getHours: 3_600_000n, getMinutes: 60_000n, getSeconds: 1000n }

    fc.assert(
      fc.property(fc.oneof(anySpan, fc.integer({ min: -4000, max: 4000 })), (ms) => {
        for (const [name, size] of Object.entries(sizes)) {
          const total = findOperationById(`${name}(duration)`)?.apply(ms, 0)

          expect(total).toBe(Number(BigInt(ms) / size))
          expect(Object.is(total, -0)).toBe(false)
        }
      }),
    )
  })
})
