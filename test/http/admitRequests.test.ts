import { expect, test } from 'vitest'
import { openKnownSenders } from '../../src/http/connections/knownSenders.ts'
import { admitRequests } from '../../src/http/middleware/admitRequests.ts'
import type { Context } from '../../src/http/request/context.ts'
import { openMetrics } from '../../src/metrics/openMetrics.ts'
import { eventually } from '../support/eventually.ts'
import { fakeLoop, turnsThatNeverCome } from '../support/fakeLoop.ts'
import { nothingMoreComes } from '../support/nothingMoreComes.ts'

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
      request: { path: '/v2/watch/eval' },
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
  await nothingMoreComes(50)

  expect(late).toBe(8)
})

test('requests whose clients leave together end so a few in a turn', async () => {
  const loop = fakeLoop()
  const arrivals = { turns: loop.turns, senders: openKnownSenders() }
  const admit = admitRequests({
    arrivals,
    inFlightMax: 100,
    answerMs: 10_000,
    meter: openMetrics().requests,
    reach: async () => undefined,
  })
  let ended = 0
  for (let sent = 0; sent < 20; sent += 1) {
    const ctx = {
      request: { path: '/v2/watch/eval' },
      ip: '192.0.2.1',
      req: { headers: {}, complete: true },
      res: { once: () => undefined, closed: true },
      state: {},
    } as unknown as Context
    const left = () => Promise.reject(new Error('left'))
    admit(ctx, left).catch(() => {
      ended += 1
    })
  }
  // all of them have begun
  for (let passed = 0; passed < 3; passed += 1) loop.pass()
  await nothingMoreComes()

  const inTurns: number[] = [ended]
  for (let passed = 0; passed < 3; passed += 1) {
    loop.pass()
    await nothingMoreComes()
    inTurns.push(ended)
  }

  expect(inTurns).toEqual([0, 8, 16, 20])
})

test('who sends with a token is learned once, not with every request', async () => {
  const loop = fakeLoop()
  const known = openKnownSenders()
  const learned: (string | undefined)[] = []
  const senders: typeof known = {
    of: known.of,
    learn: (authorization, key) => {
      learned.push(key)
      known.learn(authorization, key)
    },
  }
  const admit = admitRequests({
    arrivals: { turns: loop.turns, senders },
    inFlightMax: 100,
    answerMs: 10_000,
    meter: openMetrics().requests,
    reach: async () => undefined,
  })

  for (let sent = 0; sent < 3; sent += 1) {
    const ctx = {
      request: { path: '/v2/watch/eval' },
      ip: '192.0.2.1',
      req: { headers: { authorization: 'Bearer one' }, complete: true },
      res: { once: () => undefined },
      state: {},
    } as unknown as Context
    const admitted = admit(ctx, async () => {
      ctx.state.principal = { kind: 'account', accountId: 'acc_1', tokenId: 'tok_1', scopes: [] }
    })
    loop.pass()
    await admitted
  }

  expect(learned).toEqual(['acc_1'])
})
