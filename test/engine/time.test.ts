import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  durationOfText,
  durationText,
  finerThanMs,
  timestampOfText,
  timestampParts,
  timestampText,
} from '../../src/engine/language/values/time.ts'

const first = Date.parse('0001-01-01T00:00:00Z')
const last = Date.parse('9999-12-31T23:59:59.999Z')
const anyTime = fc.integer({ min: first, max: last })

describe('a timestamp', () => {
  test.each([
    ['2024-02-29T12:34:56Z', Date.UTC(2024, 1, 29, 12, 34, 56)],
    ['2024-02-29T12:34:56.5Z', Date.UTC(2024, 1, 29, 12, 34, 56, 500)],
    ['2024-02-29T12:34:56.123456789Z', Date.UTC(2024, 1, 29, 12, 34, 56, 123)],
    ['2024-02-29T12:34:56+23:59', Date.UTC(2024, 1, 28, 12, 35, 56)],
    ['2024-02-29T12:34:56-00:30', Date.UTC(2024, 1, 29, 13, 4, 56)],
    ['1969-12-31T23:59:59.999Z', -1],
    ['0001-01-01T00:00:00Z', first],
    ['9999-12-31T23:59:59.999Z', last],
  ])('%s is read', (text, ms) => {
    expect(timestampOfText(text)).toBe(ms)
  })

  test.each([
    ...[
      '',
      '2024',
      '2024-01-01',
      '2024-01-01T00:00Z',
      '2024-01-01T00:00:00',
      '2024-01-01 00:00:00Z',
    ],
    ...[
      '2024-02-30T00:00:00Z',
      '2023-02-29T00:00:00Z',
      '1900-02-29T00:00:00Z',
      '2024-04-31T00:00:00Z',
    ],
    ...[
      '2024-00-01T00:00:00Z',
      '2024-13-01T00:00:00Z',
      '2024-01-00T00:00:00Z',
      '2024-01-32T00:00:00Z',
    ],
    ...[
      '2024-01-01T24:00:00Z',
      '2024-01-01T00:60:00Z',
      '2024-01-01T00:00:60Z',
      '2024-01-01T00:00:00z',
    ],
    ...['2024-01-01T00:00:00+24:00', '2024-01-01T00:00:00+01:60', '2024-01-01T00:00:00+0100'],
    ...['2024-01-01T00:00:00.Z', '2024-01-01T00:00:00.1234567890Z', '02024-01-01T00:00:00Z'],
    ...['0000-12-31T23:59:59Z', '0001-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01'],
    ...[' 2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z\n', '٢024-01-01T00:00:00Z'],
  ])('%j is refused', (text) => {
    expect(timestampOfText(text)).toBeUndefined()
  })

  test('written as text reads back the same', () => {
    fc.assert(
      fc.property(anyTime, (ms) => {
        expect(timestampOfText(timestampText(ms))).toBe(ms)
      }),
    )
  })

  test('has the parts that the calendar gives it', () => {
    fc.assert(
      fc.property(anyTime, (ms) => {
        const date = new Date(ms)

        expect(timestampParts.getHours(ms)).toBe(date.getUTCHours())
        expect(timestampParts.getMinutes(ms)).toBe(date.getUTCMinutes())
        expect(timestampParts.getSeconds(ms)).toBe(date.getUTCSeconds())
        expect(timestampParts.getMilliseconds(ms)).toBe(date.getUTCMilliseconds())
        const newYear = new Date(ms)
        newYear.setUTCMonth(0, 1)
        expect(timestampParts.getDayOfYear(ms)).toBe((ms - newYear.getTime()) / 86_400_000)
      }),
    )
  })
})

describe('a duration', () => {
  test.each([
    ['0', 0],
    ['1h30m', 5_400_000],
    ['-1.5s', -1500],
    ['+2m', 120_000],
    ['.5s', 500],
    ['1.s', 1000],
    ['250ms', 250],
    ['1500us', 1],
    ['1500µs', 1],
    ['999999ns', 0],
    ['0.1h0.1m', 366_000],
    ['87660000h', 315_576_000_000_000],
  ])('%s is read', (text, ms) => {
    expect(durationOfText(text)).toBe(ms)
  })

  test.each([
    '',
    '1',
    '-',
    's',
    '1d',
    '1h 30m',
    '1e3s',
    '87660001h',
    '--1s',
    `${'1h'.repeat(33)}`,
    '1S',
  ])('%j is refused', (text) => {
    expect(durationOfText(text)).toBeUndefined()
  })

  test('written as text reads back the same', () => {
    fc.assert(
      fc.property(fc.integer({ min: -315_576_000_000_000, max: 315_576_000_000_000 }), (ms) => {
        expect(durationOfText(durationText(ms))).toBe(ms)
      }),
    )
  })
})

test.each([
  ['1ms', false],
  ['1.0001ms', true],
  ['1us', true],
  ['2024-01-01T00:00:00.123Z', false],
  ['2024-01-01T00:00:00.123000Z', false],
  ['2024-01-01T00:00:00.1234Z', true],
])('%s is finer than milliseconds: %s', (text, finer) => {
  expect(finerThanMs(text)).toBe(finer)
})
