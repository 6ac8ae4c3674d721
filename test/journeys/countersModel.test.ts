/** Every counter of many evaluations against plain counting of the events, on one instance and on two. */

import { expect, test } from 'vitest'
import { seededChance } from '../faults/seededChance.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { openVigil } from '../support/openVigil.ts'
import { cutAtRandom, runCountedShop, runOnTwo } from '../support/runCountedShop.ts'

const start = Date.UTC(2026, 9, 1)

test('counters answer what the log has up to the position that they name', async () => {
  const clock = { nowMs: start }
  const { door, service, close } = await openVigil({ clockMs: () => clock.nowMs })
  try {
    const instances = [{ door, context: service.context }] as const
    const compared = await runCountedShop({ instances, clock, seed: 7, evaluations: 600 })

    expect(compared.differences).toEqual([])
    expect(compared.same).toBeGreaterThan(3_000)
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
  expect(compared.same).toBeGreaterThan(1_000)
})
