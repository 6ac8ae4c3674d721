import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import { decode } from '../../src/events/catalogue.ts'
import { fakeServiceWith, ids, operatorToken, tokenWith } from './support/fakeService.ts'
import { type Door, openDoor } from './support/openDoor.ts'

interface ErrorBody {
  readonly code: string
  readonly request_id: string
  readonly details: readonly { readonly path: string; readonly message: string }[]
}

const token = tokenWith('eval')
const target = { phone_number: '+15551234567' }
let asked: string[] = []
let beforeRecording: () => Promise<unknown>
let door: Door

const service = fakeServiceWith(async (account) => {
  asked.push(account)
  await beforeRecording()
})

beforeAll(async () => {
  door = await openDoor(service)
})

beforeEach(() => {
  asked = []
  beforeRecording = async () => undefined
})

afterAll(() => door.close())

const evaluate = (body: unknown, headers = {}) =>
  door.request<ErrorBody>('POST', '/v2/watch/eval', { token, body, headers })

test('an evaluation that is accepted answers its verdict and where it is in the log', async () => {
  const received = await evaluate({ flow_id: ids.flow, target })

  expect(received.status).toBe(200)
  expect(received.body).toMatchObject({ verdict: 'FLAG', recipes: [{ recipe_id: ids.recipe }] })
  expect(received.headers['content-type']).toBe('application/json; charset=utf-8')
  const [recorded] = await service.context.events.readAll({
    after: Number(received.headers['x-vigil-position']) - 1,
    limit: 1,
  })
  expect(recorded && decode(recorded).metadata).toMatchObject({
    actor: ids.token,
    request: received.headers['x-request-id'],
  })
  expect(received.headers['x-vigil-visible']).toBeUndefined()
  expect(asked).toEqual([ids.account])
})

test('a log that cannot be written is 503 with the time to wait', async () => {
  beforeRecording = async () => {
    throw new Failure('unavailable', 'The log cannot be written.', { retryAfterSeconds: 2.2 })
  }

  const received = await evaluate({ flow_id: ids.flow, target })

  expect(received.status).toBe(503)
  expect(received.headers['retry-after']).toBe('3')
})

test('an accident is a plain 500 that says nothing about the inside', async () => {
  beforeRecording = async () => {
    throw new TypeError('cannot read the secret of undefined')
  }

  const received = await evaluate({ flow_id: ids.flow, target })

  expect(received.status).toBe(500)
  expect(received.body).toEqual({
    code: 'internal',
    message: 'Something went wrong on our side.',
    type: 'internal',
    request_id: received.headers['x-request-id'],
  })
})

test.each([
  ['no token', undefined, 401, 'missing_api_token'],
  ['a wrong token', 'nonsense', 401, 'invalid_api_token'],
  ['a token without the scope', tokenWith('author'), 403, 'insufficient_scope'],
  ['the operator token', operatorToken, 403, 'insufficient_scope'],
])('%s is refused before the body is looked at', async (...row) => {
  const [, given, status, code] = row

  const received = await door.request('POST', '/v2/watch/eval', { token: given, body: '{"broken' })

  expect(received.status).toBe(status)
  expect(received.body).toMatchObject({ code })
  expect(received.headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined)
  expect(asked).toEqual([])
})

test('an evaluation that is sent again under its Idempotency-Key is recorded once', async () => {
  const headers = { 'idempotency-key': 'order-4711' }

  const first = await evaluate({ flow_id: ids.flow, target }, headers)
  const again = await evaluate({ flow_id: ids.flow, target }, headers)

  expect(again.text).toBe(first.text)
  expect(asked).toEqual([ids.account])
})
