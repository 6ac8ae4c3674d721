import { expect, test } from 'vitest'
import { openKnownSenders } from '../../src/http/connections/knownSenders.ts'
import { admitRequests } from '../../src/http/middleware/admitRequests.ts'
import type { Context } from '../../src/http/request/context.ts'
import { openMetrics } from '../../src/metrics/openMetrics.ts'
import { eventually } from '../support/eventually.ts'
import { turnsThatNeverCome } from '../support/fakeLoop.ts'

const hanging = () => new Promise<void>(() => undefined)

test('requests that are late together are answered so a few in a turn', async () => {
  const arrivals = {
    turns: turnsThatNeverCome(8, 'late ones'),
    senders: openKnownSenders(),
  }
  const admit = admitRequests({
    arrivals,
    inFlightMax: 100,
    answerMs: 10,
    meter: openMetrics().requests,
    reach: async () => undefined,
  })
  let late = 0

  for (let sent = 0; sent < 30; sent += 1) {
    const ctx = {
      path: '/v2/watch/eval',
      ip: '192.0.2.1',
      req: { headers: {}, complete: true },
      res: { once: () => undefined },
      state: {},
    } as unknown as Context
    admit(ctx, hanging).catch(() => {
      late += 1
    })
  }
  await eventually(() => late > 0)
  await new Promise((resolve) => setTimeout(resolve, 50))

  expect(late).toBe(8)
})
