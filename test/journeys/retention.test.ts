import { expect, test } from 'vitest'
import { expireEvidence } from '../../src/commands/audit/retention.ts'
import { decode, openEvent } from '../../src/events/catalogue.ts'
import { findDispatch } from '../../src/state/signals/findDispatch.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { openCustomer } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'
import { newApp } from '../support/startSession.ts'

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

/** An account with one evaluation by a dispatch of the day before, on the second day. */
async function openUsed() {
  let nowMs = start
  const { a } = await openTwoInstances({ nowMs: () => nowMs })
  const shop = await openCustomer(a)
  const rule = await shop.rule('signal.device_id == "phone"')
  const flow = await shop.flow([await shop.recipe([{ rule_id: rule, weight: 60 }])])
  const dispatch_id = await shop.dispatch({ device_id: 'phone' })
  nowMs = start + day - 1
  const { body } = await shop.evaluate(flow, { dispatch_id })
  await shop.send('PUT', path, { evaluations_days: 1 })
  const setTime = (at: number) => {
    nowMs = start + at
  }
  const expire = async (at: number) => {
    setTime(at)
    await projectedHead(a)
    await expireEvidence(a.context, new AbortController().signal)
    await projectedHead(a)
  }
  return { shop, id: String(body['id']), setTime, expire }
}

test('an evaluation that is younger than its dispatch keeps what it has read of it', async () => {
  const { shop, id, expire } = await openUsed()

  await expire(31 * day + 1)

  const shown = await shop.send('GET', `/v2/watch/evaluations/${id}`)
  const replay = await shop.send('POST', `/v2/watch/evaluations/${id}/replay`)
  const erased = { evaluations_erased: 0, dispatches_erased: 1 }
  expect((await shop.send('GET', path)).body).toMatchObject(erased)
  expect(shown.body).toMatchObject({ verdict: 'FLAG' })
  expect(shown.text).toContain('"value":"phone"')
  expect(replay.body).toEqual({ result: 'MATCH', differences: [] })
})

test('each step is on record, statistics stay, and so do feedback, reported events, lists and users', async () => {
  const { shop, setTime, expire } = await openUsed()
  const target = { type: 'phone_number', value: '+33612345678' }
  const feedbacks = [{ target, type: 'verification.started' }]
  await shop.send('POST', '/v2/watch/feedback', { feedbacks })
  const events = [{ target, label: 'x', confidence: 'high' }]
  await shop.send('POST', '/v2/watch/event', { events })
  const block = '/v2/verification/management/phone-numbers/block'
  await shop.send('POST', block, { phone_number: target.value })
  const app = await newApp(shop)
  await shop.send('POST', `${app}/users`, { identifiers: [target] })
  const value = encodeURIComponent(target.value)
  const users = `${app}/users?type=phone_number&value=${value}`
  const kept = ['/v2/watch/feedback', '/v2/watch/event', block, users]
  const statistics = '/v2/watch/statistics?from=2026-01-01T00:00:00Z&to=2026-01-03T00:00:00Z'
  const shown = async () =>
    Promise.all([...kept, statistics].map(async (one) => (await shop.send('GET', one)).text))
  const before = await shown()

  await expire(100 * day)

  setTime(day - 1)
  expect(await shown()).toEqual(before)
  expect(before.at(-1)).toContain('"flagged":1')
  for (const text of before.slice(0, kept.length)) expect(text).toContain(target.value)
  const { body } = await shop.send('GET', '/v2/watch/audit/events?type=EvidenceExpired')
  expect(body['events']).toMatchObject([
    { actor: 'service', content: { evaluations: 1, dispatches: 1 } },
  ])
})
