/** Counting again tells what the entries tell one by one, but no inexact sums and nothing beyond its bounds. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findWindowStart } from '../../src/projections/evaluation/counterGrains.ts'
import { createRecount } from '../../src/queries/analysis/backtest/countAgain.ts'

const timeMs = Date.UTC(2026, 10, 1)
const asOf = { timeMs, position: 1_000_000, beforeMs: Number.POSITIVE_INFINITY }
const ask = (recount: ReturnType<typeof createRecount>, key: string) =>
  recount.answer({ series: 's', window: '1h', asOf, key })

test('a sum that was once beyond the exact integers is not told', () => {
  const recount = createRecount()
  for (const [at, counted] of [2 ** 53 - 1, 2, -4].entries()) {
    recount.add({ at: at + 1, timeMs, tallies: [['s', 'large', counted]] })
    recount.add({ at: at + 1, timeMs, tallies: [['s', 'small', at]] })
  }

  expect([ask(recount, 'large'), ask(recount, 'small')]).toEqual([undefined, 3])
})

test('with more than 100,000 keys it says of none how often it came', () => {
  const recount = createRecount()
  for (let at = 1; at <= 100_000; at += 1) {
    recount.add({ at, timeMs, tallies: [['s', `key ${at}`, 1]] })
  }
  const before = ask(recount, 'key 1')
  recount.add({ at: 100_001, timeMs, tallies: [['s', 'one more', 1]] })

  expect([before, ask(recount, 'key 1'), ask(recount, 'never')]).toEqual([1, undefined, undefined])
})

const [minuteMs, hourMs] = [60_000, 3_600_000]
const windows = ['10m', '1h', '24h'] as const

test('the counts are those of the entries one by one, whatever their order in the log', () => {
  const entry = fc.record({
    gapMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 30_000 })),
    // clocks of instances differ: what is later in time may be before it in the log
    ahead: fc.integer({ min: -40, max: 40 }),
    key: fc.constantFrom('one', 'other'),
    counted: fc.record({
      count: fc.constant(1),
      sum: fc.oneof(fc.integer({ min: -9, max: 9 }), fc.constant(null)),
      distinct: fc.integer({ min: 0, max: 400 }).map(String),
    }),
  })
  const question = fc.record({
    of: fc.double({ min: 0, max: 1, noNaN: true }),
    isImported: fc.boolean(),
    window: fc.constantFrom(...windows),
  })
  fc.assert(
    fc.property(
      fc.array(entry, { minLength: 1, maxLength: 1_500, size: 'max' }),
      fc.array(question, { minLength: 1, maxLength: 20 }),
      (entries, questions) => {
        const recount = createRecount()
        let nowMs = timeMs
        const added = entries.map(({ gapMs, ahead, key, counted }, index) => {
          nowMs += gapMs
          const at = 1_000 + index * 10 + ahead * 10
          return { at, timeMs: nowMs, key, counted }
        })
        for (const { at, timeMs: ms, key, counted } of added) {
          const tallies = Object.entries(counted).map(
            ([series, value]) => [series, key, value] as const,
          )
          recount.add({ at, timeMs: ms, tallies })
        }
        for (const { of, isImported, window } of questions) {
          const one = added[Math.floor(of * (added.length - 1))] as (typeof added)[number]
          const asked = isImported
            ? { timeMs: one.timeMs, position: Number.POSITIVE_INFINITY, beforeMs: one.timeMs }
            : { timeMs: one.timeMs, position: one.at - 1, beforeMs: Number.POSITIVE_INFINITY }
          const own = added.filter(
            ({ at, timeMs: ms, key }) =>
              key === one.key &&
              ms >= findWindowStart(window, asked.timeMs) &&
              at <= asked.position &&
              ms < asked.beforeMs,
          )
          const answer = (series: string) =>
            recount.answer({ series, key: one.key, window, asOf: asked })
          expect([answer('count'), answer('sum'), answer('distinct')]).toEqual([
            own.length,
            own.reduce((sum, { counted }) => sum + (counted.sum ?? 0), 0),
            Math.min(256, new Set(own.map(({ counted }) => counted.distinct)).size),
          ])
        }
      },
    ),
    { numRuns: 60, endOnFailure: true },
  )
})

test('what no window reaches any more makes room: keys that come and go are counted on and on', () => {
  const recount = createRecount()
  const found: unknown[] = []
  for (let hour = 0; hour < 6; hour += 1) {
    const nowMs = timeMs + hour * hourMs
    recount.needFrom(findWindowStart('10m', nowMs))
    for (let key = 0; key < 50_000; key += 1) {
      recount.add({
        at: hour * 100_000 + key,
        timeMs: nowMs,
        tallies: [['s', `${hour} ${key}`, 1]],
      })
    }
    const position = (hour + 1) * 100_000
    const asOf = { timeMs: nowMs + minuteMs, position, beforeMs: Number.POSITIVE_INFINITY }
    found.push(recount.answer({ series: 's', window: '10m', key: `${hour} 7`, asOf }))
  }

  expect(found).toEqual([1, 1, 1, 1, 1, 1])
})
