import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { openAdmission } from '../../src/http/middleware/openAdmission.ts'
import type { Context } from '../../src/http/request/context.ts'
import { openMetrics } from '../../src/metrics/openMetrics.ts'
import { fakeLoop } from '../support/fakeLoop.ts'
import { accountNumber } from './support/fakeService.ts'

const contextOf = (account: number) =>
  ({
    state: {
      principal: { kind: 'account', accountId: accountNumber(account), tokenId: 'tok', scopes: [] },
    },
    res: { once: () => undefined },
    method: 'POST',
  }) as unknown as Context

/** Lets everything happen that waits for no turn. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 20))

test('an answer that is sent when its request has given its place back waits without holding one', async () => {
  const { turns, pass } = fakeLoop()
  const reach = vi.fn(async () => undefined)
  const meter = openMetrics().requests
  const admission = openAdmission({ inFlightMax: 400, turns, meter, reach })
  const ctx = { ...contextOf(1), res: { once: () => undefined } } as unknown as Context

  for (let sent = 0; sent < 65; sent += 1) {
    let isServed = false
    let wait: () => void = () => undefined
    const served = admission.serve(ctx, async (letGo) => {
      wait = letGo
    })
    void served.then(() => {
      isServed = true
    })
    while (!isServed) {
      pass()
      await nextTurn()
    }
    wait()
  }
  await admission.reach(ctx, 1)

  expect(reach).toHaveBeenCalledTimes(1)
})

test('work that is done at the same time is answered a little in a turn, and first to whoever had less', async () => {
  const { turns, takes, pass } = fakeLoop()
  const admission = openAdmission({
    inFlightMax: 400,
    turns,
    meter: openMetrics().requests,
    reach: async () => undefined,
  })
  const answered: number[] = []
  let commit: () => void = () => undefined
  const committed = new Promise<void>((resolve) => {
    commit = resolve
  })
  const serve = (account: number): void => {
    void admission
      .serve(contextOf(account), () => {
        takes(1)
        return committed
      })
      .then(() => answered.push(account))
  }
  for (let sent = 0; sent < 60; sent += 1) serve(1)
  serve(2)
  for (let passed = 0; passed < 60; passed += 1) pass()

  commit()
  await settled()
  const first = answered.length
  for (let passed = 0; passed < 60 && answered.length < 61; passed += 1) {
    pass()
    await settled()
  }

  expect(first).toBe(8)
  expect(answered.indexOf(2)).toBeLessThan(12)
  expect(answered).toHaveLength(61)
})
