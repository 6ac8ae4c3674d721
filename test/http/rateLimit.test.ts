import { expect, test } from 'vitest'
import {
  everyScope,
  ids,
  memoryService,
  operatorToken,
  slowToRecord,
  tokenWith,
} from './support/memoryService.ts'
import { openDoorOfTest } from './support/openDoorOfTest.ts'

const rules = '/v2/watch/management/rules'

let time = 0

function limited(rateLimit?: { perSecond: number; burst: number }) {
  time = 0
  return openDoorOfTest(memoryService(), { rateLimit, nowMs: () => time })
}

test('nothing is limited, and nothing said of it, unless it is asked for', async () => {
  const { request } = await limited()

  for (let count = 0; count < 20; count += 1) {
    const received = await request('GET', rules, { token: everyScope })

    expect(received.status).toBe(200)
    expect(received.headers['ratelimit']).toBeUndefined()
    expect(received.headers['ratelimit-policy']).toBeUndefined()
  }
})

test('every answer says how the token stands', async () => {
  const { request } = await limited({ perSecond: 2, burst: 5 })

  const first = await request('GET', rules, { token: everyScope })
  const second = await request('GET', `${rules}/${ids.flow}`, { token: everyScope })

  expect(first.headers['ratelimit-policy']).toBe('"token";q=5;w=3')
  expect(first.headers['ratelimit']).toBe('"token";r=4;t=1')
  expect(second.status).toBe(404)
  expect(second.headers['ratelimit']).toBe('"token";r=3;t=1')
})

test('one too many is 429 with the time to wait, and counted', async () => {
  const { request, metric } = await limited({ perSecond: 1, burst: 1 })
  await request('GET', rules, { token: everyScope })

  const refused = await request('GET', rules, { token: everyScope })
  time += 1_000
  const later = await request('GET', rules, { token: everyScope })

  expect(refused.status).toBe(429)
  expect(refused.body).toMatchObject({ code: 'rate_limited', type: 'too_many_requests' })
  expect(refused.headers['retry-after']).toBe('1')
  expect(refused.headers['ratelimit']).toBe('"token";r=0;t=1')
  expect(later.status).toBe(200)
  expect(await metric('refused_total', { reason: 'rate_limited' })).toBe(1)
})

test('requests that the scopes of the token do not cover count, too', async () => {
  const { request } = await limited({ perSecond: 1, burst: 2 })
  const token = tokenWith('eval')

  const first = await request('GET', rules, { token })
  await request('GET', rules, { token })
  const refused = await request('GET', rules, { token })

  expect(first.status).toBe(403)
  expect(first.headers['ratelimit']).toBe('"token";r=1;t=1')
  expect(refused.status).toBe(429)
})

test('one too many never reaches the service', async () => {
  let evaluated = 0
  const beforeRecording = async () => {
    evaluated += 1
  }
  const rateLimit = { perSecond: 1, burst: 2 }
  const { request } = await openDoorOfTest(slowToRecord(beforeRecording), {
    rateLimit,
    nowMs: () => 0,
  })
  const body = { flow_id: ids.flow, target: { phone_number: '+15551234567' } }

  for (let count = 0; count < 5; count += 1) {
    await request('POST', '/v2/watch/eval', { token: everyScope, body })
  }

  expect(evaluated).toBe(2)
})

test('neither the operator nor health waits', async () => {
  const { request } = await limited({ perSecond: 1, burst: 1 })
  const path = '/v2/operator/accounts'
  const send = () => request('POST', path, { token: operatorToken, body: { name: 'Shop' } })

  const statuses = [
    (await send()).status,
    (await send()).status,
    (await request('GET', '/health/live')).status,
    (await request('GET', '/health/live')).status,
  ]

  expect(statuses).toEqual([201, 201, 200, 200])
})

test('a token that nobody has takes nothing from anybody', async () => {
  const { request } = await limited({ perSecond: 1, burst: 1 })
  await request('GET', rules, { token: 'unknown' })

  const received = await request('GET', rules, { token: 'unknown' })

  expect(received.status).toBe(401)
  expect(received.headers['ratelimit']).toBeUndefined()
})
