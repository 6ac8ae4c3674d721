import { beforeEach, expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import { decode } from '../../src/events/catalogue.ts'
import { memoryEventStore } from '../support/memoryEventStore.ts'
import { openDoorOfFile } from '../support/openOfFile.ts'
import {
  everyScope,
  ids,
  memoryService,
  operatorToken,
  slowToRecord,
  tokenWith,
} from './support/memoryService.ts'

interface ErrorBody {
  readonly id?: string
  readonly code: string
  readonly request_id: string
  readonly details: readonly { readonly path: string; readonly message: string }[]
}

const token = everyScope
const target = { phone_number: '+15551234567' }
let asked: string[] = []
let beforeRecording: () => Promise<unknown>

const events = memoryEventStore()
const service = slowToRecord(async (account) => {
  asked.push(account)
  await beforeRecording()
}, memoryService({ events }))
const recorded = () => events.log.filter(({ type }) => type === 'FlowEvaluated')

const door = await openDoorOfFile(service)

beforeEach(() => {
  asked = []
  beforeRecording = async () => undefined
})

const evaluate = (body: unknown, headers = {}) =>
  door.request<ErrorBody>('POST', '/v2/watch/eval', { token, body, headers })

test('an evaluation that is accepted answers its verdict and where it is in the log', async () => {
  const received = await evaluate({ flow_id: ids.flow, target })

  expect(received.status).toBe(200)
  expect(received.body).toMatchObject({ verdict: 'FLAG', recipes: [{ recipe_id: ids.recipe }] })
  expect(received.headers['content-type']).toBe('application/json; charset=utf-8')
  const at = Number(received.headers['x-vigil-position'])
  const event = events.log.find(({ position }) => position === at)
  expect(event && decode(event).metadata).toMatchObject({
    actor: ids.token,
    request: received.headers['x-request-id'],
  })
  expect(received.headers['x-vigil-visible']).toBeUndefined()
  expect(asked).toEqual([ids.account])
})

test('a verdict that cannot be recorded is not given: 503, with when to come again, until the log can be written', async () => {
  const before = recorded()
  beforeRecording = async () => {
    throw new Failure('unavailable', 'The log cannot be written.', { retryAfterSeconds: 2.2 })
  }

  const received = await evaluate({ flow_id: ids.flow, target })
  beforeRecording = async () => undefined
  const mended = await evaluate({ flow_id: ids.flow, target })

  expect([received.status, received.body.code]).toEqual([503, 'unavailable'])
  expect(received.headers['retry-after']).toBe('3')
  expect(received.text).not.toContain('verdict')
  expect(mended.status).toBe(200)
  expect(recorded()).toHaveLength(before.length + 1)
})

test('an answer of the log that got lost is 503, and the same key is answered by the record', async () => {
  const headers = { 'idempotency-key': 'order-2' }
  const before = recorded()
  events.after = () => {
    events.after = undefined
    throw new Failure('unavailable', 'The answer got lost.')
  }

  const lost = await evaluate({ flow_id: ids.flow, target }, headers)
  const answer = await evaluate({ flow_id: ids.flow, target }, headers)

  expect([lost.status, answer.status]).toEqual([503, 200])
  expect(recorded()).toHaveLength(before.length + 1)
  expect(recorded().at(-1)?.stream).toBe(`evaluation-${answer.body.id}`)
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
