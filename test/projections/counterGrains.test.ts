/** What windows hold against plain counting: late events, clocks apart, imports, many values, large sums. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addCounted,
  type CounterDocument,
  countWindow,
  type Counted as Tallied,
  toUnits,
} from '../../src/projections/evaluation/counterGrains.ts'
import { draws } from '../support/draws.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Each window with its grain, as the guide has them. */
const windows = {
  '10m': [10 * minute, 10_000],
  '1h': [hour, minute],
  '24h': [24 * hour, 30 * minute],
  '7d': [7 * day, 3 * hour],
  '30d': [30 * day, 12 * hour],
} as const
type Window = keyof typeof windows
const names = Object.keys(windows) as readonly Window[]

const start = Date.UTC(2026, 10, 1)

interface Counted extends Pick<Tallied, 'recordedMs'> {
  readonly timeMs: number
  readonly counted: Tallied['entries'][number][1]
}

function add(
  document: CounterDocument | undefined,
  { timeMs, recordedMs, counted }: Counted,
): CounterDocument {
  return addCounted(document, { recordedMs, entries: [[toUnits(timeMs), counted]] })
}

function fold(events: readonly Counted[]): CounterDocument | undefined {
  return events.reduce<CounterDocument | undefined>(add, undefined)
}

function inWindow(events: readonly Counted[], window: Window, nowMs: number): readonly Counted[] {
  const [length, grain] = windows[window]
  const from = Math.floor((nowMs - length) / grain) * grain
  return events.filter(({ timeMs }) => timeMs >= from)
}

function plainly(events: readonly Counted[], window: Window, nowMs: number) {
  const held = inWindow(events, window, nowMs)
  const numbers = held.flatMap(({ counted }) => (typeof counted === 'number' ? [counted] : []))
  return {
    value: numbers.reduce((sum, one) => sum + one, 0),
    leftOut: held.filter(({ counted }) => counted === null).length,
  }
}

/** How much later the next event is recorded: mostly at once, now and then after days, sometimes by a late clock. */
const later = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 20_000 }) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 2 * hour }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 4 * day }) },
)
const clockOff = fc.oneof(fc.constant(0), fc.integer({ min: -2.5 * minute, max: 2.5 * minute }))
const importedAgo = fc.oneof(
  { weight: 9, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 40 * day }) },
)

function eventsOf(counted: fc.Arbitrary<Counted['counted']>, maxLength: number) {
  const one = fc.record({ later, clockOff, importedAgo, counted })
  return fc.array(one, { maxLength, size: 'max' }).map((all) => {
    let now = start
    return all.map((event): Counted => {
      now += event.later
      const recordedMs = now + event.clockOff
      return { timeMs: recordedMs - event.importedAgo, recordedMs, counted: event.counted }
    })
  })
}

/** A reader's clock: five minutes before the last event was recorded, or any time later. */
const readLater = fc.oneof(
  fc.integer({ min: -5 * minute, max: hour }),
  fc.integer({ min: 0, max: 31 * day }),
)

function readAt(events: readonly Counted[], laterMs: number): number {
  return Math.max(start, ...events.map(({ recordedMs }) => recordedMs)) + laterMs
}

const amounts = fc.oneof(
  fc.constant(1),
  fc.constant(null),
  fc.integer({ min: -1_000_000, max: 1_000_000 }),
)

describe('whatever is counted, whenever, by whichever clock', () => {
  test('every window has the numbers of its events and no others', () =>
    fc.assert(
      fc.property(eventsOf(amounts, 120), readLater, (events, laterMs) => {
        const document = fold(events)
        const nowMs = readAt(events, laterMs)
        for (const window of names) {
          expect(countWindow(document, window, nowMs), window).toEqual(
            plainly(events, window, nowMs),
          )
        }
      }),
      { numRuns: draws(600) },
    ))

  test('every window has the values seen in it, each once, and at most 256', () => {
    const values = fc.integer({ min: 0, max: 400 }).map((one) => String(one).padStart(8, '_'))
    return fc.assert(
      fc.property(eventsOf(values, 700), readLater, (events, laterMs) => {
        const document = fold(events)
        const nowMs = readAt(events, laterMs)
        for (const window of names) {
          const seen = new Set(inWindow(events, window, nowMs).map(({ counted }) => counted))
          const value = Math.min(seen.size, 256)
          expect(countWindow(document, window, nowMs), window).toEqual({ value, leftOut: 0 })
        }
      }),
      { numRuns: draws(200) },
    )
  })

  test('the document is the same in whichever order its events come', () =>
    fc.assert(
      fc.property(
        fc.oneof(
          eventsOf(amounts, 60),
          eventsOf(fc.constantFrom('aaaaaaaa', 'bbbbbbbb', 'cccccccc'), 60),
        ),
        fc.infiniteStream(fc.nat()),
        (events, ranks) => {
          const ranked = events.map((event) => ({ event, rank: ranks.next().value ?? 0 }))
          const shuffled = ranked.toSorted((one, other) => one.rank - other.rank)
          // but for the time of day at which it ends, which is that of the first
          const countedIn = (document = fold(events)) => document && { ...document, ends_at: 0 }
          expect(countedIn(fold(shuffled.map(({ event }) => event)))).toEqual(countedIn())
        },
      ),
      { numRuns: draws(400) },
    ))
})

test('a document ends 31 days after its last event, or within one day more', () =>
  fc.assert(
    fc.property(eventsOf(amounts, 60), (events) => {
      fc.pre(events.length > 0)
      const least = readAt(events, 31 * day)
      const end = fold(events)?.ends_at ?? 0
      expect(end).toBeGreaterThanOrEqual(least)
      expect(end).toBeLessThan(least + day)
    }),
    { numRuns: draws(200) },
  ))

test.each([
  ['numbers', amounts],
  ['values', fc.integer({ min: 0, max: 400 }).map((one) => String(one).padStart(8, '_'))],
] as const)('%s that come in one event make what they make one by one', (_, counted) =>
  fc.assert(
    fc.property(eventsOf(counted, 40), eventsOf(counted, 400), (before, warmed) => {
      const recordedMs = readAt([...before, ...warmed], 0)
      const one = warmed.map((event) => ({ ...event, recordedMs }))
      const entries = one.map((event) => [toUnits(event.timeMs), event.counted] as const)
      fc.pre(entries.length > 0)

      expect(addCounted(fold(before), { recordedMs, entries })).toEqual(fold([...before, ...one]))
    }),
    { numRuns: draws(100) },
  ),
)

describe('a document', () => {
  const at = (timeMs: number, counted: Counted['counted'] = 1): Counted => ({
    timeMs,
    recordedMs: timeMs,
    counted,
  })

  test('of a key that never rests has at most 4 KB', () => {
    const end = start + 31 * day
    const amount = 250_000_000
    let document: CounterDocument | undefined
    for (let timeMs = start; timeMs <= end; timeMs += stepBefore(end - timeMs)) {
      document = add(document, at(timeMs, amount))
    }
    expect(document?.grains?.split(' ').length).toBeGreaterThan(270)
    expect(JSON.stringify(document).length).toBeLessThan(4_096)
  })

  test('of 300 values has at most 4 KB, and says that they are more than 255', () => {
    let document: CounterDocument | undefined
    for (let value = 0; value < 300; value += 1) {
      document = add(document, at(start + value, `v${value}`.padEnd(8, '-')))
    }
    expect(JSON.stringify(document).length).toBeLessThan(4_096)
    expect(countWindow(document, '10m', start + minute)).toEqual({ value: 256, leftOut: 0 })
  })

  test('that has ended becomes what none becomes', () => {
    const old = [at(start), at(start + hour)].reduce<CounterDocument | undefined>(add, undefined)
    const next = at(old?.ends_at ?? 0)
    expect(add(old, next)).toEqual(add(undefined, next))
  })

  test('of sums beyond the exact integers is not answered, and again once they are too old', () => {
    const most = Number.MAX_SAFE_INTEGER
    const document = fold([at(start, most), at(start + 1, most), at(start + 2 * hour, -7)])
    expect(countWindow(document, '24h', start + 2 * hour)).toBe('too_large')
    expect(countWindow(document, '1h', start + 2 * hour)).toEqual({ value: -7, leftOut: 0 })
  })

  test.each([
    ['in one grain', [start, start, start]],
    ['in several', [start, start + minute, start + 2 * minute]],
  ])('of such sums is not answered either once others bring them back, %s', (_, times) => {
    const most = Number.MAX_SAFE_INTEGER
    const amounts = [most, most - 1, -most]
    const document = fold(times.map((timeMs, index) => at(timeMs, amounts[index])))
    expect(countWindow(document, '1h', start + 2 * minute)).toBe('too_large')
  })

  test('is not answered to a clock that is more than five minutes late', () => {
    const document = fold([at(start)])
    expect(countWindow(document, '1h', start - 5 * minute)).toEqual({ value: 1, leftOut: 0 })
    expect(countWindow(document, '1h', start - 5 * minute - 10_000)).toBe('too_early')
  })
})

/** One event in each grain that is told apart so long before the end. */
function stepBefore(agoMs: number): number {
  const slackMs = 6 * minute
  const [, grainMs] =
    Object.values(windows).find(([lengthMs]) => agoMs <= lengthMs + slackMs) ?? windows['30d']
  return grainMs
}

test.each(names)(
  'the window %s is never shorter than asked, and at most 2.1 % longer',
  (window) => {
    const [length] = windows[window]
    const holds = (ago: number) => {
      const document = fold([{ timeMs: start, recordedMs: start, counted: 1 }])
      const count = countWindow(document, window, start + ago)
      return typeof count === 'object' && count.value === 1
    }
    expect(holds(length)).toBe(true)
    expect(holds(length * 1.021)).toBe(false)
  },
)
