import { expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import { type MemoryShop, openMemoryShop } from './support/memoryShop.ts'

const evaluate = ({ door, token, flow }: MemoryShop, headers: Record<string, string> = {}) =>
  door.request('POST', '/v2/watch/eval', {
    token,
    headers,
    body: { flow_id: flow, target: { phone_number: '+33612345678' } },
  })

test('a verdict that cannot be recorded is not given: 503, with when to come again', async () => {
  const shop = await openMemoryShop()
  shop.events.before = () => {
    throw new Failure('unavailable', 'The disk is full.', { retryAfterSeconds: 1 })
  }

  const refused = await evaluate(shop)

  expect([refused.status, refused.body['code']]).toEqual([503, 'unavailable'])
  expect(refused.headers['retry-after']).toBe('1')
  expect(refused.text).not.toContain('verdict')
  expect(shop.events.log.filter(({ type }) => type === 'FlowEvaluated')).toEqual([])
  await shop.door.close()
})

test('once the log can be written again verdicts are given again', async () => {
  const shop = await openMemoryShop()
  shop.events.before = () => {
    throw new Failure('unavailable', 'The disk is full.', { retryAfterSeconds: 1 })
  }
  await evaluate(shop)
  shop.events.before = undefined

  expect((await evaluate(shop)).status).toBe(200)
  await shop.door.close()
})

test('an answer of the log that got lost is 503, and whoever asks again under the same key is answered by the record', async () => {
  const shop = await openMemoryShop()
  const headers = { 'idempotency-key': 'order-2' }
  await evaluate(shop)
  shop.events.after = () => {
    shop.events.after = undefined
    throw new Failure('unavailable', 'The answer got lost.')
  }

  const lost = await evaluate(shop, headers)
  const answer = await evaluate(shop, headers)

  const recorded = shop.events.log.filter(({ type }) => type === 'FlowEvaluated')
  expect([lost.status, answer.status]).toEqual([503, 200])
  expect(recorded).toHaveLength(2)
  expect(recorded.at(-1)?.stream).toBe(`evaluation-${answer.body['id']}`)
  await shop.door.close()
})

test('a repeated request is answered from the record also when the record was another’s work', async () => {
  const shop = await openMemoryShop()
  const headers = { 'idempotency-key': 'order-1' }
  const first = await evaluate(shop, headers)

  const again = await evaluate(shop, headers)

  expect(again.text).toBe(first.text)
  expect(shop.events.log.filter(({ type }) => type === 'FlowEvaluated')).toHaveLength(1)
  await shop.door.close()
})
