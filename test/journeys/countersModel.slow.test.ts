/** The same for many more, as many as `TEST_EVALUATIONS` says, with stores and read models on threads of their own. */

import { expect, test } from 'vitest'
import { openVigil } from '../support/openVigil.ts'
import { evaluationsOfRun, runCountedShop } from '../support/runCountedShop.ts'

test('each counter of thousands of evaluations is as the log has it', {
  timeout: 3_600_000,
}, async () => {
  const clock = { nowMs: Date.UTC(2026, 9, 1) }
  const { door, service, close } = await openVigil({ clockMs: () => clock.nowMs, thread: 'own' })
  try {
    const instances = [{ door, context: service.context }] as const
    const evaluations = evaluationsOfRun(1_000)
    const compared = await runCountedShop({ instances, clock, seed: 3, evaluations })

    expect(compared.differences).toEqual([])
    expect(compared.same).toBeGreaterThan(0)
  } finally {
    await close()
  }
})
