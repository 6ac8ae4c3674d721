import { expect, test } from 'vitest'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { openCustomer } from '../support/openVigil.ts'

test('a registration waits no longer for the read models when the clock is set back meanwhile', async () => {
  let behindMs = 0
  const { a } = await openTwoInstances({ nowMs: () => Date.now() - behindMs })
  const customer = await openCustomer(a)
  const { projections } = a.context
  const { waitFor } = projections
  const waits: number[] = []
  const noting: typeof waitFor = async (position, timeoutMs) => {
    waits.push(timeoutMs)
    const isShown = await waitFor(position, timeoutMs)
    behindMs = 3_600_000
    return isShown
  }
  Object.assign(projections, { waitFor: noting })

  const { status } = await customer.send('POST', '/v2/session/apps', { name: 'Shop' })

  expect(status).toBe(201)
  expect(waits.length).toBeGreaterThanOrEqual(2)
  expect(Math.max(...waits)).toBeLessThanOrEqual(5_000)
})
