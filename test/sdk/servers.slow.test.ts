/** The published client library for servers, unmodified: typed results and typed errors. */

import {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  NotFoundError,
  PermissionDeniedError,
} from '@prelude.so/sdk'
import { afterAll, describe, expect, test } from 'vitest'
import { openSdkShop } from './support/openSdkShop.ts'
import { refusal } from './support/refusal.ts'

const shop = await openSdkShop()
afterAll(() => shop.close())

const numberOf = (index: number) => `+1213373${4000 + index}`
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const decide = (decision: string, body: object) =>
  shop.operate('POST', `/sender-ids/${decision}`, body)
const target = { type: 'phone_number', value: '+33612345678' } as const
const authoring = '/v2/watch/management'

describe('typed results', () => {
  test('setPhoneNumber, listPhoneNumbers, deletePhoneNumber', async () => {
    const { verificationManagement } = shop.client
    const added = await verificationManagement.setPhoneNumber('block', {
      phone_number: numberOf(2),
    })
    await verificationManagement.setPhoneNumber('block', { phone_number: numberOf(1) })
    const again = await verificationManagement.setPhoneNumber('block', {
      phone_number: numberOf(2),
    })
    const listed = await verificationManagement.listPhoneNumbers('block')
    const deleted = await verificationManagement.deletePhoneNumber('block', {
      phone_number: numberOf(2),
    })
    const left = await verificationManagement.listPhoneNumbers('block')
    const allowed = await verificationManagement.listPhoneNumbers('allow')

    expect([added, again, deleted]).toEqual([0, 1, 2].map(() => ({ phone_number: numberOf(2) })))
    expect(listed.phone_numbers).toEqual([
      { phone_number: numberOf(2), created_at: expect.stringMatching(isoTime) },
      { phone_number: numberOf(1), created_at: expect.stringMatching(isoTime) },
    ])
    expect(left.phone_numbers.map(({ phone_number }) => phone_number)).toEqual([numberOf(1)])
    expect(allowed).toEqual({ phone_numbers: [] })
  })

  test('submitSenderId, listSenderIds', async () => {
    const { verificationManagement } = shop.client
    const submitted = await verificationManagement.submitSenderId({ sender_id: 'Ada Shop' })
    await verificationManagement.submitSenderId({ sender_id: '33612345678' })
    await decide('approve', { sender_id: 'Ada Shop' })
    await decide('reject', { sender_id: '33612345678', reason: 'Of somebody else.' })

    const approved = await verificationManagement.submitSenderId({ sender_id: 'Ada Shop' })
    const listed = await verificationManagement.listSenderIds()
    const anew = await verificationManagement.submitSenderId({ sender_id: '33612345678' })

    expect([submitted, approved, anew]).toEqual([
      { sender_id: 'Ada Shop', status: 'pending' },
      { sender_id: 'Ada Shop', status: 'approved' },
      { sender_id: '33612345678', status: 'pending' },
    ])
    expect(listed.sender_ids).toMatchObject([
      { sender_id: 'Ada Shop', status: 'approved' },
      { sender_id: '33612345678', status: 'rejected', reason: 'Of somebody else.' },
    ])
  })

  test('sendFeedbacks', async () => {
    const answer = await shop.client.watch.sendFeedbacks({
      feedbacks: [
        {
          target,
          type: 'verification.started',
          dispatch_id: '0198c0de-7f4a-7b2c-9d1e-3a5b7c9d1e3f',
          metadata: { correlation_id: 'signup-4711' },
          signals: { ip: '203.0.113.9', device_platform: 'ios', is_trusted_user: true },
        },
        { target, type: 'verification.completed' },
      ],
    })

    expect(answer).toEqual({
      status: 'success',
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    const listed = await shop.client.get<object, { feedbacks: object[] }>('/v2/watch/feedback', {
      query: { phone_number: target.value, min_position: await positionNow(), order: 'oldest' },
    })
    expect(listed.feedbacks).toMatchObject([
      { type: 'verification.started', target, metadata: { correlation_id: 'signup-4711' } },
      { type: 'verification.completed', target },
    ])
  })

  test('sendEvents', async () => {
    const answer = await shop.client.watch.sendEvents({
      events: [{ target, label: 'payment.chargeback', confidence: 'maximum' }],
    })

    expect(answer.status).toBe('success')
    const listed = await shop.client.get<object, { events: object[] }>('/v2/watch/event', {
      query: { label: 'payment.chargeback', min_position: await positionNow() },
    })
    expect(listed.events).toMatchObject([{ label: 'payment.chargeback', confidence: 'maximum' }])
  })

  test('predict', async () => {
    const flow = await shop.customer.flowOf('phoneCountry(target.phone_number) == "FR"')
    await shop.client.put(`${authoring}/predict`, { body: { flow_id: flow } })

    const flagged = await shop.client.watch.predict({
      target,
      metadata: { correlation_id: 'signup-4711' },
      signals: { app_version: '4.2.0' },
    })
    const passed = await shop.client.watch.predict({
      target: { type: 'email_address', value: 'ann@example.com' },
    })

    expect([flagged.prediction, passed.prediction]).toEqual(['suspicious', 'legitimate'])
    expect(flagged.id).toMatch(/^evl_/)
    const record = await shop.client.get<object, object>(`/v2/watch/evaluations/${flagged.id}`)
    expect(record).toMatchObject({ verdict: 'FLAG', correlation_id: 'signup-4711' })
  })
})

describe('typed errors', () => {
  const started = { target, type: 'verification.started' } as const
  const noScope = { code: 'insufficient_scope' }

  const kinds = {
    400: BadRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
  }

  test.each<[string, object, () => Promise<unknown>]>([
    [
      '400 with the place of a number',
      { code: 'invalid_request', details: [{ path: 'phone_number' }] },
      () => shop.client.verificationManagement.setPhoneNumber('allow', { phone_number: '06 12' }),
    ],
    [
      '400 with the place of a sender ID',
      { code: 'invalid_sender_id', details: [{ path: 'sender_id' }] },
      () =>
        shop.client.verificationManagement.submitSenderId({
          sender_id: 'A sender that is too long',
        }),
    ],
    [
      '400 with the place in a list',
      { code: 'invalid_request', details: [{ path: 'feedbacks.1.target.value' }] },
      () =>
        shop.client.watch.sendFeedbacks({
          feedbacks: [started, { ...started, target: { type: 'phone_number', value: '06 12' } }],
        }),
    ],
    [
      '400 of a prediction without a flow',
      { message: expect.stringContaining('no flow for predictions') },
      async () => {
        await shop.client.delete(`${authoring}/predict`)
        return shop.client.watch.predict({ target })
      },
    ],
    [
      '401 of a list',
      {},
      () => shop.clientOf('vgl_unknown').verificationManagement.listSenderIds(),
    ],
    [
      '401 of an event',
      { code: 'invalid_api_token' },
      () =>
        shop.clientOf('vgl_unknown').watch.sendEvents({
          events: [{ target, label: 'account.banned', confidence: 'low' }],
        }),
    ],
    [
      '403 of a list, for want of the scope',
      noScope,
      async () => (await shop.clientWith('eval')).verificationManagement.listSenderIds(),
    ],
    [
      '403 of feedback, with the scope that is needed',
      { ...noScope, message: expect.stringContaining('feedback') },
      async () => (await shop.clientWith('eval')).watch.sendFeedbacks({ feedbacks: [started] }),
    ],
    [
      '404 of a list that there is not',
      { code: 'not_found' },
      () => shop.client.verificationManagement.listPhoneNumbers('deny' as 'block'),
    ],
    [
      '404 of an evaluation that there is not',
      { code: 'not_found' },
      () => shop.client.get(`/v2/watch/evaluations/evl_${'0'.repeat(26)}`),
    ],
    [
      '409 of a rule in use, after the client has tried again in vain',
      { code: 'rule_in_use' },
      async () => {
        const rule_id = await shop.customer.rule('1 == 1')
        await shop.customer.recipe([{ rule_id, weight: 60 }])
        return shop.client.delete(`${authoring}/rules/${rule_id}`)
      },
    ],
  ])('%s', async (what, expected, ask) => {
    const error = await refusal(ask())

    expect(error).toBeInstanceOf(kinds[what.slice(0, 3) as never])
    expect(Object(error).error).toMatchObject(expected)
  })

  test('403, for want of access', async () => {
    await shop.operate('PUT', '/access', { management: false })
    const { verificationManagement } = shop.client
    const errors = [
      await refusal(verificationManagement.listPhoneNumbers('allow')),
      await refusal(verificationManagement.submitSenderId({ sender_id: 'Ada' })),
    ]
    await shop.operate('PUT', '/access', { management: true })

    for (const error of errors) {
      expect(error).toBeInstanceOf(PermissionDeniedError)
      expect(Object(error).error).toMatchObject({ code: 'access_not_enabled' })
    }
  })

  test('409: ConflictError, when the account has as many sender IDs as it may', async () => {
    const { verificationManagement } = shop.client
    const { sender_ids: before = [] } = await verificationManagement.listSenderIds()
    for (let from = before.length; from < 500; from += 50) {
      const many = Array.from({ length: Math.min(50, 500 - from) }, (_, index) =>
        verificationManagement.submitSenderId({ sender_id: `Shop ${from + index}` }),
      )
      await Promise.all(many)
    }

    const error = await refusal(verificationManagement.submitSenderId({ sender_id: 'One more' }))

    expect(error).toBeInstanceOf(ConflictError)
    expect(Object(error).error).toMatchObject({ code: 'conflict' })
    expect((await verificationManagement.listSenderIds()).sender_ids).toHaveLength(500)
  })
})

/** Where the log ends by now: the position of a write that comes after everything. */
async function positionNow(): Promise<string> {
  const { response } = await shop.client.watch
    .sendEvents({ events: [{ target, label: 'nothing', confidence: 'neutral' }] })
    .withResponse()
  return response.headers.get('x-vigil-position') ?? ''
}
