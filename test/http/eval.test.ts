import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Call } from '../../src/domain/call.ts'
import { Failure } from '../../src/domain/failure.ts'
import type { EvaluationInput } from '../../src/service/evaluation/evaluationPart.ts'
import { fakeService, ids, operatorToken, tokenWith } from './support/fakeService.ts'
import { type Door, openDoor } from './support/openDoor.ts'

interface ErrorBody {
  readonly code: string
  readonly request_id: string
  readonly details: readonly { readonly path: string; readonly message: string }[]
}

const token = tokenWith('eval')
const target = { phone_number: '+15551234567' }
const answer = '{"id":"evl_1","verdict":"PASS","recipes":[]}'

let asked: { readonly call: Call; readonly input: EvaluationInput }[] = []
let answerWith: () => Promise<{ value: string; position: number; visible: boolean }>
let door: Door

beforeAll(async () => {
  door = await openDoor(
    fakeService({
      evaluateFlow: (call, input) => {
        asked.push({ call, input })
        return answerWith()
      },
    }),
  )
})

beforeEach(() => {
  asked = []
  answerWith = async () => ({ value: answer, position: 12, visible: true })
})

afterAll(() => door.close())

const evaluate = (body: unknown, headers = {}) =>
  door.request<ErrorBody>('POST', '/v2/watch/eval', { token, body, headers })

describe('an evaluation that is accepted', () => {
  test('answers the bytes of the service and where they stand in the log', async () => {
    const received = await evaluate({ flow_id: ids.flow, target })

    expect(received.status).toBe(200)
    expect(received.text).toBe(answer)
    expect(received.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(received.headers['x-vigil-position']).toBe('12')
    expect(received.headers['x-vigil-visible']).toBeUndefined()
  })

  test('says when reads may not show it yet', async () => {
    answerWith = async () => ({ value: answer, position: 12, visible: false })

    const received = await evaluate({ flow_id: ids.flow, target })

    expect(received.status).toBe(200)
    expect(received.headers['x-vigil-visible']).toBe('false')
  })

  test('gives the service the caller, the request id and the canonical target', async () => {
    const body = {
      flow_id: ids.flow,
      target: { phone_number: '+1 (555) 123-4567', email_address: 'A@EXAMPLE.com' },
    }

    const received = await evaluate(body)

    const requestId = received.headers['x-request-id']
    expect(asked[0]?.call).toEqual({
      principal: { kind: 'account', accountId: ids.account, tokenId: ids.token, scopes: ['eval'] },
      requestId,
    })
    expect(asked[0]?.input.target).toEqual({
      phone_number: '+15551234567',
      email_address: 'a@example.com',
    })
  })
})

test('a log that cannot be written is 503 with the time to wait', async () => {
  answerWith = async () => {
    throw new Failure('unavailable', 'The log cannot be written.', { retryAfterSeconds: 2.2 })
  }

  const received = await evaluate({ flow_id: ids.flow, target })

  expect(received.status).toBe(503)
  expect(received.headers['retry-after']).toBe('3')
})

test('an accident is a plain 500 that says nothing about the inside', async () => {
  answerWith = async () => {
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

describe('Idempotency-Key', () => {
  test('is given to the service', async () => {
    await evaluate({ flow_id: ids.flow, target }, { 'idempotency-key': 'order-4711' })

    expect(asked[0]?.call.idempotencyKey).toBe('order-4711')
  })
})
