/** Every counter of many evaluations against plain counting of the events, on one instance and on two. */

import { expect, onTestFinished, test } from 'vitest'
import { shopCounters } from '../support/countedShop.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { openVigil } from '../support/openVigil.ts'
import { listPlainAnswers } from '../support/plainCounters.ts'
import { projectedHead } from '../support/projectedHead.ts'
import { runCountedShop } from '../support/runCountedShop.ts'

const start = Date.UTC(2026, 9, 1)

test('counters answer what the log has up to the position that they name', async () => {
  const clock = { nowMs: start }
  const vigil = await openVigil({ clockMs: () => clock.nowMs })
  try {
    const compared = await runCountedShop({
      ...{ evaluations: 2_000, seed: 7, clock },
      doors: [vigil],
      context: vigil.service.context,
    })

    expect(compared.differences).toEqual([])
    expect(compared.same).toBeGreaterThan(5_000)
    expect(compared.unanswered).toBe(0)
  } finally {
    await vigil.close()
  }
})

test('on two instances, one of which runs the projections and stops now and then, too', async () => {
  const clock = { nowMs: start }
  const { a, b } = await openTwoInstances({ nowMs: () => clock.nowMs })
  const compared = await runCountedShop({
    ...{ evaluations: 300, seed: 11, clock },
    doors: [a, b],
    context: a.context,
    before: async (draw) => {
      if (draw() < 0.1) a.projecting.freeze()
      else a.projecting.thaw()
    },
  })

  expect(compared.differences).toEqual([])
  expect(compared.same).toBeGreaterThan(250)
})

test('a backtest says what the log has, whether a counter had an answer then or not', async () => {
  const clock = { nowMs: start }
  const vigil = await openVigil({ clockMs: () => clock.nowMs })
  onTestFinished(vigil.close)
  let groups = 0
  const { shop, found, unanswered, same } = await runCountedShop({
    ...{ evaluations: 250, seed: 5, clock, ageMs: 0 },
    doors: [vigil],
    context: vigil.service.context,
    // nothing is warmed in the first two seconds
    before: async () => {
      groups += 1
      if (groups < 20) clock.nowMs = start
    },
  })
  await projectedHead(vigil)

  expect(Math.min(unanswered, same)).toBeGreaterThan(100)
  for (const counter of shopCounters) {
    const answers = listPlainAnswers(found, counter).map(({ expected }) => expected)
    for (const share of [0.5, 0.9]) {
      const limit = answers.toSorted((one, other) => one - other)[(answers.length * share) | 0] ?? 0
      const expression = `${counter.name} >= ${limit}`
      const url = '/v2/watch/management/backtests/preview?from=1970-01-01T00:00:00Z'
      const { status, body, text } = await shop.send('POST', url, { expression })
      expect(status, text).toBe(200)
      const table = body['table'] as { draft: string; evaluations: number }[]
      const judged = (verdict: string) =>
        table
          .filter(({ draft }) => draft === verdict)
          .reduce((sum, { evaluations }) => sum + evaluations, 0)

      const flagged = answers.filter((one) => one >= limit).length
      expect([judged('FLAG'), judged('PASS'), judged('NOT_EVALUATED')], expression).toEqual([
        flagged,
        answers.length - flagged,
        found.length - answers.length,
      ])
    }
  }
})
