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

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const target = { type: 'phone_number', value: '+33612345678' } as const
const authoring = '/v2/watch/management'

describe('typed results', () => {
  test('setPhoneNumber, listPhoneNumbers, deletePhoneNumber', async () => {
    const { verificationManagement } = shop.client
    const entry = { phone_number: target.value }
    const added = await verificationManagement.setPhoneNumber('block', entry)
    const listed = await verificationManagement.listPhoneNumbers('block')
    const deleted = await verificationManagement.deletePhoneNumber('block', entry)
    const left = await verificationManagement.listPhoneNumbers('block')

    expect([added, deleted]).toEqual([entry, entry])
    expect(listed.phone_numbers).toEqual([{ ...entry, created_at: expect.stringMatching(isoTime) }])
    expect(left).toEqual({ phone_numbers: [] })
  })

  test('submitSenderId, listSenderIds', async () => {
    const { verificationManagement } = shop.client
    const submitted = await verificationManagement.submitSenderId({ sender_id: 'Ada Shop' })
    const listed = await verificationManagement.listSenderIds()

    expect(submitted).toEqual({ sender_id: 'Ada Shop', status: 'pending' })
    expect(listed.sender_ids).toMatchObject([submitted])
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
  })

  test('sendEvents', async () => {
    const answer = await shop.client.watch.sendEvents({
      events: [{ target, label: 'payment.chargeback', confidence: 'maximum' }],
    })

    expect(answer.status).toBe('success')
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
  })
})

describe('typed errors', () => {
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
      '400 of a prediction without a flow',
      { message: expect.stringContaining('no flow for predictions') },
      async () => {
        await shop.client.delete(`${authoring}/predict`)
        return shop.client.watch.predict({ target })
      },
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
      '403 of feedback, with the scope that is needed',
      { code: 'insufficient_scope', message: expect.stringContaining('feedback') },
      async () => (await shop.clientWith('eval')).watch.sendFeedbacks({ feedbacks: [] }),
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
})
