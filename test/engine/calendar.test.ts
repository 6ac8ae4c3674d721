import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findOperationById } from '../../src/engine/language/operators/operationTable.ts'
import {
  formatDuration,
  formatTimestamp,
  isFinerThanMs,
  parseIsoTimeMs,
  parseTimestamp,
} from '../../src/engine/language/values/time.ts'
import { draws } from '../support/draws.ts'
import { outcomeOf } from './support/evaluate.ts'

/** The calendar as it is taught: years counted one by one from 1970. */
const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function leap(year: number): boolean {
  if (year % 400 === 0) return true
  if (year % 100 === 0) return false
  return year % 4 === 0
}

function daysIn(year: number, month: number): number {
  return (monthDays[month - 1] ?? 0) + (month === 2 && leap(year) ? 1 : 0)
}

function yearDays(year: number): number {
  return leap(year) ? 366 : 365
}

/** Days from New Year to the date. */
function dayOfYear(year: number, month: number, day: number): number {
  let days = day - 1
  for (let before = 1; before < month; before++) days += daysIn(year, before)
  return days
}

const newYears = new Map([[1970, 0]])
for (let year = 1971; year <= 10_000; year++) {
  newYears.set(year, (newYears.get(year - 1) ?? 0) + yearDays(year - 1))
}
for (let year = 1969; year >= 0; year--) {
  newYears.set(year, (newYears.get(year + 1) ?? 0) - yearDays(year))
}

interface Written {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
}

const anyDate = fc.record<Written>({
  year: fc.oneof(
    fc.integer({ min: 1, max: 9999 }),
    fc.constantFrom(1, 4, 100, 400, 1600, 1700, 1900, 1969, 1970, 2000, 2024, 2100, 9999),
  ),
  month: fc.integer({ min: 1, max: 12 }),
  day: fc.oneof(fc.integer({ min: 1, max: 31 }), fc.constantFrom(28, 29, 30, 31)),
  hour: fc.integer({ min: 0, max: 23 }),
  minute: fc.integer({ min: 0, max: 59 }),
  second: fc.integer({ min: 0, max: 59 }),
})

const padded = (value: number, size = 2) => String(value).padStart(size, '0')

function textOf({ year, month, day, hour, minute, second }: Written): string {
  const date = [padded(year, 4), padded(month), padded(day)].join('-')
  return `${date}T${[padded(hour), padded(minute), padded(second)].join(':')}`
}

function msOf({ year, month, day, hour, minute, second }: Written): number {
  const days = (newYears.get(year) ?? Number.NaN) + dayOfYear(year, month, day)
  return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000
}

const exists = ({ year, month, day }: Written) => day <= daysIn(year, month)

describe('a date and time in UTC', () => {
  test('is as far from 1970 as the calendar counts; a day that its month lacks is none', () => {
    fc.assert(
      fc.property(anyDate, (date) => {
        const expected = exists(date) ? msOf(date) : undefined

        expect(parseTimestamp(`${textOf(date)}Z`)).toBe(expected)
      }),
      { numRuns: draws(1000) },
    )
  })

  test.each([
    ...['', '2024', '2024-01-01', '2024-01-01T00:00Z', '2024-01-01T00:00:00'],
    '2024-01-01 00:00:00Z',
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
    expect(parseTimestamp(text)).toBeUndefined()
  })

  test('is written with the parts it has', () => {
    fc.assert(
      fc.property(anyDate.filter(exists), fc.integer({ min: 0, max: 999 }), (date, ms) => {
        const fraction = ms === 0 ? '' : `.${padded(ms, 3).replace(/0+$/, '')}`

        expect(formatTimestamp(msOf(date) + ms)).toBe(`${textOf(date)}${fraction}Z`)
      }),
      { numRuns: draws(500) },
    )
  })

  test('has the parts it was written with, numbered as CEL numbers them', () => {
    const part = (name: string, ms: number) => findOperationById(`${name}(timestamp)`)?.apply(ms, 0)

    fc.assert(
      fc.property(anyDate.filter(exists), fc.integer({ min: 0, max: 999 }), (date, rest) => {
        const ms = msOf(date) + rest
        const days = Math.floor(msOf(date) / 86_400_000)

        expect(part('getFullYear', ms)).toBe(date.year)
        expect(part('getMonth', ms)).toBe(date.month - 1)
        expect(part('getDate', ms)).toBe(date.day)
        expect(part('getDayOfMonth', ms)).toBe(date.day - 1)
        expect(part('getDayOfYear', ms)).toBe(dayOfYear(date.year, date.month, date.day))
        // 1970-01-01 was a Thursday
        expect(part('getDayOfWeek', ms)).toBe((((days + 4) % 7) + 7) % 7)
        expect(part('getHours', ms)).toBe(date.hour)
        expect(part('getMinutes', ms)).toBe(date.minute)
        expect(part('getSeconds', ms)).toBe(date.second)
        expect(part('getMilliseconds', ms)).toBe(rest)
      }),
      { numRuns: draws(500) },
    )
  })
})

describe('a date and time with an offset', () => {
  const anyOffset = fc.record({
    sign: fc.constantFrom('+', '-'),
    hour: fc.integer({ min: 0, max: 23 }),
    minute: fc.integer({ min: 0, max: 59 }),
  })

  test('is the moment that is so many hours and minutes before it, or after', () => {
    fc.assert(
      fc.property(anyDate.filter(exists), anyOffset, (date, { sign, hour, minute }) => {
        const away = (hour * 60 + minute) * 60_000
        const ms = msOf(date) + (sign === '+' ? -away : away)
        const known = ms >= msOf(firstDate) && ms < (newYears.get(10_000) ?? 0) * 86_400_000

        const read = parseTimestamp(`${textOf(date)}${sign}${padded(hour)}:${padded(minute)}`)

        expect(read).toBe(known ? ms : undefined)
      }),
      { numRuns: draws(500) },
    )
  })

  test('is never refused but for what lies outside the years 1 to 9999', () => {
    expect(parseTimestamp('0001-01-01T00:00:00-00:01')).toBe(msOf(firstDate) + 60_000)
    expect(parseTimestamp('0001-01-01T00:00:59+00:01')).toBeUndefined()
    expect(parseTimestamp('0001-01-01T00:01:00+00:01')).toBe(msOf(firstDate))
    expect(parseTimestamp('9999-12-31T23:59:59+00:01')).toBe(parseTimestamp('9999-12-31T23:58:59Z'))
    expect(parseTimestamp('9999-12-31T23:59:00-00:01')).toBeUndefined()
  })
})

const firstDate = { year: 1, month: 1, day: 1, hour: 0, minute: 0, second: 0 }

describe('a fraction of a second', () => {
  test('counts in milliseconds, whatever is finer is dropped and never rounded up', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 9 })

    fc.assert(
      fc.property(digits, fc.constantFrom('1969-12-31', '2024-02-29'), (fraction, day) => {
        const whole = parseTimestamp(`${day}T23:59:59Z`) ?? Number.NaN
        const nanos = BigInt(fraction) * 10n ** BigInt(9 - fraction.length)

        expect(parseTimestamp(`${day}T23:59:59.${fraction}Z`)).toBe(
          whole + Number(nanos / 1_000_000n),
        )
      }),
    )
  })
})

describe('a time as callers write it', () => {
  test.each([
    ['2024-02-29T12:34Z', '2024-02-29T12:34:00Z'],
    ['2024-02-29T12:34+02:00', '2024-02-29T10:34:00Z'],
    ['2024-02-29T12:34:56.789-01:30', '2024-02-29T14:04:56.789Z'],
    ['1970-01-01T00:00Z', '1970-01-01T00:00:00Z'],
    ['1970-01-01T01:00+01:00', '1970-01-01T00:00:00Z'],
    ['9999-12-31T23:59Z', '9999-12-31T23:59:00Z'],
  ])('%s is %s', (text, same) => {
    expect(parseIsoTimeMs(text)).toBe(Date.parse(same))
  })

  test.each([
    ...['2023-02-29T00:00Z', '2024-02-30T00:00Z', '2024-04-31T00:00:00Z', '2024-13-01T00:00Z'],
    ...['2024-02-29', '2024-02-29T12Z', '2024-02-29T12:34', '2024-02-29 12:34Z', '20240229T1234Z'],
    ...['2024-02-29T24:00Z', '2024-02-29T12:60Z', '2024-02-29T12:34z', '2024-02-29T12:34+0200'],
    ...['1969-12-31T23:59:59.999Z', '1970-01-01T00:59+01:00', '0001-01-01T00:00Z'],
    ...['', '0', '1700000000000', 'now', '+012024-02-29T12:34:00Z', '2024-02-29T12:34Z '],
  ])('%j is none', (text) => {
    expect(parseIsoTimeMs(text)).toBeUndefined()
  })
})

describe('sums and differences of times', () => {
  const least = msOf(firstDate)
  const most = (newYears.get(10_000) ?? 0) * 86_400_000 - 1
  const longest = 315_576_000_000_000
  const anyTime = fc.oneof(
    fc.integer({ min: least, max: most }),
    fc.constantFrom(least, least + 1, most, most - 1, 0, -1),
  )
  const anySpan = fc.oneof(
    fc.integer({ min: -longest, max: longest }),
    fc.integer({ min: -2000, max: 2000 }),
    fc.constantFrom(0, 1, -1, longest, -longest),
  )
  const within = (value: number, low: number, high: number) =>
    value >= low && value <= high ? value : undefined
  const apply = (id: string, a: number, b: number) => findOperationById(id)?.apply(a, b)

  test('stay between the years 1 and 9999, or fail', () => {
    fc.assert(
      fc.property(anyTime, anySpan, (time, span) => {
        const later = within(time + span, least, most)

        expect(apply('+(timestamp, duration)', time, span)).toBe(later)
        expect(apply('+(duration, timestamp)', span, time)).toBe(later)
        expect(apply('-(timestamp, duration)', time, span)).toBe(within(time - span, least, most))
      }),
      { numRuns: draws(500) },
    )
  })

  test('of two moments is always a duration, and leads back', () => {
    fc.assert(
      fc.property(anyTime, anyTime, (a, b) => {
        const between = apply('-(timestamp, timestamp)', a, b)

        expect(between).toBe(within(a - b, -longest, longest))
        expect(apply('+(timestamp, duration)', b, Number(between))).toBe(a)
      }),
    )
  })

  test('of durations end at about ten thousand years', () => {
    fc.assert(
      fc.property(anySpan, anySpan, (a, b) => {
        expect(apply('+(duration, duration)', a, b)).toBe(within(a + b, -longest, longest))
        expect(apply('-(duration, duration)', a, b)).toBe(within(a - b, -longest, longest))
      }),
      { numRuns: draws(300) },
    )
  })

  test('never give a negative zero, which would be written as one', () => {
    for (const id of ['-(duration, duration)', '+(duration, duration)']) {
      expect(Object.is(apply(id, -0, 0), -0) || Object.is(apply(id, -0, -0), -0)).toBe(false)
    }
    expect(formatDuration(0)).toBe('0s')
  })
})

describe('seconds since 1970', () => {
  test.each([
    [-62_135_596_800, '0001-01-01T00:00:00Z'],
    [-1, '1969-12-31T23:59:59Z'],
    [0, '1970-01-01T00:00:00Z'],
    [951_782_400, '2000-02-29T00:00:00Z'],
    [2 ** 31, '2038-01-19T03:14:08Z'],
    [253_402_300_799, '9999-12-31T23:59:59Z'],
  ])('%s are %s, and back', (seconds, text) => {
    const rule = `timestamp(int(signal.ext.s)) == timestamp("${text}") && int(timestamp("${text}")) == int(signal.ext.s)`

    expect(outcomeOf(rule, { 'signal.ext.s': String(seconds) })).toBe('true')
  })

  test.each(['-62135596801', '253402300800', '9007199254740991'])('%s are no moment', (text) => {
    const rule = 'timestamp(int(signal.ext.s)) > timestamp("2000-01-01T00:00:00Z")'

    expect(outcomeOf(rule, { 'signal.ext.s': text })).toBe('missing signal.ext.s')
  })
})

test.each([
  ['2024-01-01T00:00:00.123Z', false],
  ['2024-01-01T00:00:00.123000Z', false],
  ['2024-01-01T00:00:00.1234Z', true],
])('%s is finer than milliseconds: %s', (text, finer) => {
  expect(isFinerThanMs(text)).toBe(finer)
})
