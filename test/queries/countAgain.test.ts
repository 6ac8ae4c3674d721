/** What counting again does not answer: sums that are not exact, and anything beyond its bounds. */

import { expect, test } from 'vitest'
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
