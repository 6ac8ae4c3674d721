/** Time zones whose clocks do what few do: days that begin late, are skipped, or have other hours than 24. */

import { describe, expect, test } from 'vitest'
import {
  findNextStart,
  findStart,
  formatInZone,
  parseTimeZone,
  stepDaysBack,
  type TimeZone,
} from '../../src/domain/text/timeZone.ts'

const hour = 3_600_000

function zoneOf(name: string): TimeZone {
  const zone = parseTimeZone(name)
  if (!zone) throw new Error(`there is no zone ${name}`)
  return zone
}

const at = (time: string): number => Date.parse(time)

/** The starts of the days from the one of this time on. */
function days(name: string, from: string, count: number): readonly string[] {
  const zone = zoneOf(name)
  const starts = [findStart(zone, at(from), 'day')]
  while (starts.length < count) starts.push(findNextStart(zone, starts.at(-1) ?? 0, 'day'))
  return starts.map((start) => formatInZone(zone, start))
}

describe('days', () => {
  test.each([
    // 25 hours, and 23
    [
      'Europe/Paris',
      '2026-10-24',
      ['2026-10-24T00:00+02:00', '2026-10-25T00:00+02:00', '2026-10-26T00:00+01:00'],
    ],
    [
      'America/New_York',
      '2026-03-07T12',
      ['2026-03-07T00:00-05:00', '2026-03-08T00:00-05:00', '2026-03-09T00:00-04:00'],
    ],
    // the clock goes from 24:00 back to 23:00, and from 00:00 to 01:00
    [
      'Africa/Cairo',
      '2026-10-28T12',
      ['2026-10-28T00:00+03:00', '2026-10-29T00:00+03:00', '2026-10-30T00:00+02:00'],
    ],
    [
      'Asia/Beirut',
      '2026-03-28T12',
      ['2026-03-28T00:00+02:00', '2026-03-29T01:00+03:00', '2026-03-30T00:00+03:00'],
    ],
    // from 01:00 back to 00:00: midnight comes twice
    [
      'America/Havana',
      '2026-10-31T12',
      ['2026-10-31T00:00-04:00', '2026-11-01T00:00-04:00', '2026-11-02T00:00-05:00'],
    ],
    // a day that there was not
    [
      'Pacific/Apia',
      '2011-12-29T12',
      ['2011-12-29T00:00-10:00', '2011-12-31T00:00+14:00', '2012-01-01T00:00+14:00'],
    ],
    // two hours at once
    [
      'Antarctica/Troll',
      '2026-03-28T12',
      ['2026-03-28T00:00+00:00', '2026-03-29T00:00+00:00', '2026-03-30T00:00+02:00'],
    ],
    ['Asia/Kolkata', '2026-03-28T12', ['2026-03-28T00:00+05:30', '2026-03-29T00:00+05:30']],
    [
      'Australia/Lord_Howe',
      '2026-04-04T00',
      ['2026-04-04T00:00+11:00', '2026-04-05T00:00+11:00', '2026-04-06T00:00+10:30'],
    ],
    ['-03:30', '2026-03-28T12', ['2026-03-28T00:00-03:30', '2026-03-29T00:00-03:30']],
  ])(
    'of %s from %s on start at midnight, or when there is none, behind it',
    (name, from, starts) => {
      const time = from.includes('T') ? `${from}:00Z` : `${from}T12:00Z`

      expect(days(name, time, starts.length)).toEqual(starts)
    },
  )
})

test('hours are those of the clock, and one that comes twice is two', () => {
  const kolkata = zoneOf('Asia/Kolkata')
  const start = findStart(kolkata, at('2026-10-25T00:10Z'), 'hour')
  expect(formatInZone(kolkata, start)).toBe('2026-10-25T05:00+05:30')
  const paris = zoneOf('Europe/Paris')
  const first = findStart(paris, at('2026-10-25T00:59Z'), 'hour')
  const second = findNextStart(paris, first, 'hour')
  expect([first, second].map((time) => formatInZone(paris, time))).toEqual([
    '2026-10-25T02:00+02:00',
    '2026-10-25T02:00+01:00',
  ])
})

test('a week before is the same hour of the calendar', () => {
  const paris = zoneOf('Europe/Paris')
  const before = stepDaysBack(paris, at('2026-10-26T08:00Z'), 7)

  expect(formatInZone(paris, before)).toBe('2026-10-19T09:00+02:00')
  expect(at('2026-10-26T08:00Z') - before).toBe(7 * 24 * hour + hour)
})

test.each(['Z', 'UTC', 'europe/paris', '+14:00', '-00:30', 'Etc/GMT+5'])('%s is a zone', (text) => {
  expect(parseTimeZone(text)?.offsetMs(0)).toBeTypeOf('number')
})

test.each([
  '',
  '+1',
  '+24:00',
  '+05:60',
  'Paris',
  'Europe/Paris ',
  '1',
  `A${'a'.repeat(70)}`,
  '__proto__',
])('%j is none', (text) => expect(parseTimeZone(text)).toBeUndefined())
