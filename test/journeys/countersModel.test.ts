/** Every counter of many evaluations against plain counting of the events, on one instance and on two. */

import { expect, onTestFinished, test } from 'vitest'
import { seededChance } from '../faults/seededChance.ts'
import { shopCounters } from '../support/countedShop.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { openVigil } from '../support/openVigil.ts'
import { listPlainAnswers } from '../support/plainCounters.ts'
import { projectedHead } from '../support/projectedHead.ts'
import { cutAtRandom, runCountedShop, runOnTwo } from '../support/runCountedShop.ts'

const start = Date.UTC(2026, 9, 1)

test('counters answer what the log has up to the position that they name', async () => {
  const clock = { nowMs: start }
  const { door, service, close } = await openVigil({ clockMs: () => clock.nowMs })
  try {
    const instances = [{ door, context: service.context }] as const
    const compared = await runCountedShop({ instances, clock, seed: 7, evaluations: 600 })

    expect(compared.differences).toEqual([])
    expect(compared.same).toBeGreaterThan(0)
  } finally {
    await close()
  }
})

test('on two instances whose clocks differ, one of which runs the projections and stops now and then, too', async () => {
  const clock = { nowMs: start }
  const two = await openTwoInstances({
    nowMs: () => clock.nowMs,
    laterMs: 120_000,
    projected: (events) => cutAtRandom(events, seededChance(5)),
  })
  const compared = await runOnTwo(two, { clock, seed: 11, evaluations: 300 })

  expect(compared.differences).toEqual([])
  expect(compared.same).toBeGreaterThan(0)
})

test('a backtest says what the log has, whether a counter had an answer then or not', async () => {
  const clock = { nowMs: start }
  const vigil = await openVigil({ clockMs: () => clock.nowMs })
  onTestFinished(vigil.close)
  let groups = 0
  const { shops, events, unanswered, same } = await runCountedShop({
    ...{ evaluations: 600, seed: 5, clock, ageMs: 0 },
    instances: [{ door: vigil.door, context: vigil.service.context }],
    disturb: () => {
      // nothing is warmed in the first two seconds
      groups += 1
      if (groups < 4) clock.nowMs = start
      return async () => undefined
    },
  })
  await projectedHead(vigil)
  const [shop] = shops
  const own = events.filter(({ account }) => account === shop?.accountId)
  const found = own.filter(({ source }) => source === 'evaluations')

  expect(Math.min(unanswered, same)).toBeGreaterThan(0)
  for (const counter of shopCounters.filter(({ source }) => scanned.has(source))) {
    const answers = listPlainAnswers(own, counter).map(({ expected }) => expected)
    for (const share of [0.5, 0.9]) {
      const limit = answers.toSorted((one, other) => one - other)[(answers.length * share) | 0] ?? 0
      const expression = `${counter.name} >= ${limit}`
      const url = '/v2/watch/management/backtests/preview?from=1970-01-01T00:00:00Z'
      const { status, body, text } = (await shop?.send('POST', url, { expression })) ?? fail()
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

/** Of dispatches and feedback no scan tells. */
const scanned: ReadonlySet<string> = new Set(['evaluations', 'flagged'])

function fail(): never {
  throw new Error('no shop was opened')
}
