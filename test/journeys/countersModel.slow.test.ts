/** The same for 4,000 evaluations. */

import { expect, test } from 'vitest'
import { openVigil } from '../support/openVigil.ts'
import { runCountedShop } from '../support/runCountedShop.ts'

test('4,000 evaluations, each counter as the log has it', { timeout: 1_800_000 }, async () => {
  const clock = { nowMs: Date.UTC(2026, 9, 1) }
  const vigil = await openVigil({ clockMs: () => clock.nowMs, thread: 'own' })
  try {
    const compared = await runCountedShop({
      ...{ evaluations: 4_000, seed: 3, clock },
      doors: [vigil],
      context: vigil.service.context,
    })

    expect(compared.differences).toEqual([])
    expect(compared.same).toBeGreaterThan(8_000)
  } finally {
    await vigil.close()
  }
})
