import { expect, test } from 'vitest'
import { openAdmission } from '../../src/http/middleware/openAdmission.ts'
import type { Context } from '../../src/http/request/context.ts'
import { openMetrics } from '../../src/metrics/openMetrics.ts'
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

test('work that is done at the same time is answered a few in a turn, in turn between the accounts', async () => {
  const next: (() => void)[] = []
  const pass = (): void => {
    for (const work of next.splice(0)) work()
  }
  const admission = openAdmission({
    inFlightMax: 400,
    nowMs: () => 0,
    nextTurn: (work) => next.push(work),
    meter: openMetrics().requests,
    reach: async () => undefined,
  })
  const answered: number[] = []
  let commit: () => void = () => undefined
  const committed = new Promise<void>((resolve) => {
    commit = resolve
  })
  const serve = (account: number): void => {
    void admission.serve(contextOf(account), () => committed).then(() => answered.push(account))
  }
  for (let sent = 0; sent < 60; sent += 1) serve(1)
  serve(2)
  while (next.length > 0) pass()

  commit()
  await settled()
  const first = answered.length
  pass()
  await settled()

  expect(first).toBe(8)
  expect(answered).toHaveLength(16)
  expect(answered).toContain(2)
})
