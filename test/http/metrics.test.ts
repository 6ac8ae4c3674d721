import { expect, test } from 'vitest'
import { sampleOf } from '../metrics/exposition.ts'
import { everyScope, ids, memoryService, withContext } from './support/memoryService.ts'
import { openDoorOfTest } from './support/openDoorOfTest.ts'

const evaluation = { flow_id: ids.flow, target: { phone_number: '+15551234567' } }

test('anyone may read the metrics when they are open', async () => {
  const { request } = await openDoorOfTest(memoryService(), { metricsAccess: 'open' })

  const received = await request('GET', '/metrics')

  expect(received.status).toBe(200)
  expect(received.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
})

test('a request is counted under its route, never under its path', async () => {
  const { request } = await openDoorOfTest(memoryService(), { metricsAccess: 'open' })

  await request('GET', `/v2/watch/evaluations/${ids.evaluation}`, { token: everyScope })
  await request('GET', `/v2/watch/evaluations/${ids.evaluation}?x=secret`, { token: everyScope })
  await request('HEAD', '/health/live')
  await request('GET', '/nowhere/secret')
  await request('POST', '/v2/watch/eval', { body: evaluation })
  const { text } = await request('GET', '/metrics')

  const count = (method: string, route: string, status: number) =>
    sampleOf(text, 'vigil_http_requests_total', { method, route, status: String(status) })
  expect(count('GET', '/v2/watch/evaluations/{evaluation_id}', 404)).toBe(1)
  expect(count('GET', '/v2/watch/evaluations/{evaluation_id}', 400)).toBe(1)
  expect(count('HEAD', '/health/live', 200)).toBe(1)
  expect(count('any', 'none', 404)).toBe(1)
  expect(count('POST', '/v2/watch/eval', 401)).toBe(1)
  expect(text).not.toContain('secret')
  expect(text).not.toContain(ids.evaluation)
})

test('the request that asks is the one in flight', async () => {
  const { metric } = await openDoorOfTest(memoryService())

  expect(await metric('in_flight')).toBe(1)
})

test('a failure nobody expected counts as a 500', async () => {
  const service = memoryService()
  const readStream = () => Promise.reject(new Error('broken'))
  const events = { ...service.context.events, readStream }
  const { request, metric } = await openDoorOfTest(withContext(service, { events }))

  await request('GET', `/v2/watch/evaluations/${ids.evaluation}`, { token: everyScope })

  expect(await metric('total', { status: '500' })).toBe(1)
})
