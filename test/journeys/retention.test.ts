import { expect, test } from 'vitest'
import { expireEvidence } from '../../src/commands/audit/retention.ts'
import { findDispatch } from '../../src/commands/signals/dispatches.ts'
import { decode, openEvent } from '../../src/events/catalogue.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { openCustomer } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'

const day = 24 * 60 * 60 * 1_000
const start = Date.UTC(2026, 0, 1)
const path = '/v2/watch/retention'

/** Two instances, and four evaluations of one person: the first two under one key, the others under one each. */
async function openAged() {
  let nowMs = start
  const { a, b } = await openTwoInstances({ nowMs: () => nowMs })
  const shop = await openCustomer(a)
  const flow = await shop.flowOf('target.phone_number == "+33612345678"')
  const ids: string[] = []
  for (const at of [0, 20, 35, 70]) {
    nowMs = start + at * day
    ids.push(String((await shop.evaluate(flow)).body['id']))
  }
  const code = async (at: typeof a, id: string) => {
    const asked = `/v2/watch/evaluations/${id}/replay`
    const how = { token: shop.token }
    return (await at.door.request<Record<string, unknown>>('POST', asked, how)).body['code']
  }
  return {
    ...{ a, b, ids, shop },
    shown: async () => (await shop.send('GET', path)).body,
    /** Both look for what is old by this day. */
    expire: async (at: number) => {
      nowMs = start + at * day
      await projectedHead(a)
      const { signal } = new AbortController()
      await Promise.all([expireEvidence(a.context, signal), expireEvidence(b.context, signal)])
    },
    forgotten: async (at = a) => {
      const codes = await Promise.all(ids.map((id) => code(at, id)))
      return codes.map((one) => one === 'evidence_forgotten')
    },
  }
}

test('evidence is erased once the whole time of its key is older than is set; verdicts stay', async () => {
  const { b, ids, shop, shown, expire, forgotten } = await openAged()
  const none = { evaluations_erased: 0, dispatches_erased: 0, keys_destroyed: 0 }

  await expire(80)
  expect(await forgotten()).toEqual([false, false, false, false])
  expect(await shown()).toEqual(none)

  const set = await shop.send('PUT', path, { evaluations_days: 50 })
  expect(set.body).toEqual({ evaluations_days: 50, ...none })
  await expire(80)
  expect(await forgotten()).toEqual([false, false, false, false])

  // the key of the first had sealed the second, which is older than fifty days as well
  await expire(80.01)
  expect(await forgotten()).toEqual([true, true, false, false])
  await expire(120)
  expect(await forgotten(b)).toEqual([true, true, true, false])
  expect(await shown()).toEqual({
    evaluations_days: 50,
    erased_until: '2026-02-05T00:00:00.000Z',
    evaluations_erased: 3,
    dispatches_erased: 0,
    keys_destroyed: expect.any(Number),
  })
  const { body } = await shop.send('GET', `/v2/watch/evaluations/${ids[0]}`)
  expect(body).toMatchObject({ verdict: 'FLAG', evidence: { forgotten: true } })
})

test('set again, it begins with the oldest again; switched off, it ends', async () => {
  const { shop, shown, expire, forgotten } = await openAged()
  for (const _ of [1, 2]) {
    await shop.send('PUT', path, { evaluations_days: 50 })
    await expire(120)
    expect(await shown()).toMatchObject({ evaluations_erased: 3 })
  }

  expect((await shop.send('DELETE', path)).status).toBe(204)
  expect((await shop.send('DELETE', path)).status).toBe(204)
  await expire(1_000)

  expect(await shown()).not.toHaveProperty('evaluations_days')
  expect(await forgotten()).toEqual([true, true, true, false])
})

test('dispatches are erased after the same time, used or not: log and keys open no address and no device of them', async () => {
  let nowMs = start
  const { a, b } = await openTwoInstances({ nowMs: () => nowMs })
  const shop = await openCustomer(a)
  const neighbour = await openCustomer(a)
  const flow = await shop.flowOf('signal.ip == "9.9.9.9"')
  /** Its signals carry the day on which it is sent. */
  const send = (of: typeof shop, day: number) =>
    of.dispatch({ ip: `9.9.9.${day}`, device_id: `device of ${day}` })
  const dispatches = new Map<number, string>()
  for (const at of [0, 1, 40, 41]) {
    nowMs = start + at * day
    const dispatch_id = await send(shop, at)
    dispatches.set(at, dispatch_id)
    // that of every other day is used
    if (at % 40 === 0) await shop.evaluate(flow, { dispatch_id })
  }
  nowMs = start
  await send(neighbour, 0)
  await shop.send('PUT', path, { evaluations_days: 30 })

  /** The days of the signals that whoever has log and keys can read. */
  const readable = async ({ context, keyring }: typeof a) => {
    const log = await context.events.readAll({ after: 0, limit: 10_000 })
    const opened = await Promise.all(log.map((one) => openEvent(decode(one), keyring)))
    const own = opened.filter(({ metadata: { account } }) => account === shop.accountId)
    const text = JSON.stringify(own.map(({ event }) => event))
    return [...dispatches.keys()].filter(
      (at) => text.includes(`"9.9.9.${at}"`) || text.includes(`"device of ${at}"`),
    )
  }
  const expire = async (at: number) => {
    nowMs = start + at * day
    await projectedHead(a)
    const { signal } = new AbortController()
    await Promise.all([expireEvidence(a.context, signal), expireEvidence(b.context, signal)])
  }
  await expire(60)
  expect(await readable(a)).toEqual([0, 1, 40, 41])

  await expire(60.5)
  expect(await readable(a)).toEqual([1, 40, 41])
  await expire(100.5)
  expect([await readable(a), await readable(b)]).toEqual([[41], [41]])
  expect((await shop.send('GET', path)).body).toMatchObject({
    evaluations_erased: 2,
    dispatches_erased: 3,
  })

  await expire(102)
  expect(await readable(b)).toEqual([])
  const [theirs] = (await b.context.events.readAll({ after: 0, limit: 10_000 }))
    .map(decode)
    .filter(({ metadata: { account } }) => account === neighbour.accountId)
    .filter(({ event: { type } }) => type === 'SignalsDispatched')
  const { event } = await openEvent(theirs ?? expect.fail(), b.keyring)
  expect(event.data).toMatchObject({ signals: { device_id: 'device of 0' } })
})

test('an erased dispatch is answered like an unknown one while dispatches live for longer', async () => {
  let nowMs = start
  const { a } = await openTwoInstances({ nowMs: () => nowMs })
  const shop = await openCustomer(a)
  const flow = await shop.flowOf('signal.device_id == "phone"')
  const dispatch_id = await shop.dispatch({ device_id: 'phone' })
  await shop.send('PUT', path, { evaluations_days: 1 })
  nowMs = start + 32 * day
  await projectedHead(a)
  await expireEvidence(a.context, new AbortController().signal)
  const find = (dispatchLifetimeMs: number) =>
    findDispatch(
      { ...a.context, dispatchLifetimeMs },
      { account: shop.accountId, dispatchId: dispatch_id, timeMs: nowMs },
    )

  expect(await find(365 * day)).toMatchObject({ state: 'unknown', signals: {} })
  const { status, body } = await shop.evaluate(flow, { dispatch_id })
  expect([status, body['verdict']]).toEqual([200, 'PASS'])
})
