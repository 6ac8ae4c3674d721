/** Every counter of many evaluations against plain counting of the events, on one instance and on two. */

import { expect, test } from 'vitest'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { openVigil } from '../support/openVigil.ts'
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
