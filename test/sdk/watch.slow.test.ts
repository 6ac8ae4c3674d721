import {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  NotFoundError,
  PermissionDeniedError,
} from '@prelude.so/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSdkShop, type SdkShop } from './support/openSdkShop.ts'
import { refusal } from './support/refusal.ts'

let shop: SdkShop

beforeAll(async () => {
  shop = await openSdkShop()
})

afterAll(() => shop.close())

const target = { type: 'phone_number', value: '+33612345678' } as const
const authoring = '/v2/watch/management'

interface Made {
  readonly id: string
}

async function flowOf(expression: string): Promise<{ rule: string; flow: string }> {
  const { client } = shop
  const rule = await client.post<object, Made>(`${authoring}/rules`, {
    body: { name: 'a rule', expression },
  })
  const recipe = await client.post<object, Made>(`${authoring}/recipes`, {
    body: {
      name: 'a recipe',
      status: 'LIVE',
      threshold: 50,
      rules: [{ rule_id: rule.id, weight: 60 }],
    },
  })
  const flow = await client.post<object, Made>(`${authoring}/flows`, {
    body: { name: 'a flow', recipes: [recipe.id] },
  })
  return { rule: rule.id, flow: flow.id }
}

describe('typed results', () => {
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
    const { flow } = await flowOf('phoneCountry(target.phone_number) == "FR"')
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
  test('400: BadRequestError, with the place of what is wrong', async () => {
    const error = await refusal(
      shop.client.watch.sendFeedbacks({
        feedbacks: [
          { target, type: 'verification.started' },
          { target: { type: 'phone_number', value: '06 12' }, type: 'verification.started' },
        ],
      }),
    )

    expect(error).toBeInstanceOf(BadRequestError)
    expect(Object(error).error).toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'feedbacks.1.target.value' }],
    })
  })

  test('400: a prediction without a flow says so', async () => {
    await shop.client.delete(`${authoring}/predict`)

    const error = await refusal(shop.client.watch.predict({ target }))

    expect(error).toBeInstanceOf(BadRequestError)
    expect(String(error)).toContain('no flow for predictions')
  })

  test('401: AuthenticationError', async () => {
    const error = await refusal(
      shop.clientOf('vgl_unknown').watch.sendEvents({
        events: [{ target, label: 'account.banned', confidence: 'low' }],
      }),
    )

    expect(error).toBeInstanceOf(AuthenticationError)
    expect(Object(error).error).toMatchObject({ code: 'invalid_api_token' })
  })

  test('403: PermissionDeniedError, with the scope that is needed', async () => {
    const client = await shop.clientWith('eval')

    const error = await refusal(
      client.watch.sendFeedbacks({ feedbacks: [{ target, type: 'verification.started' }] }),
    )

    expect(error).toBeInstanceOf(PermissionDeniedError)
    expect(Object(error).error).toMatchObject({ code: 'insufficient_scope' })
    expect(String(error)).toContain('feedback')
  })

  test('404: NotFoundError', async () => {
    const error = await refusal(shop.client.get(`/v2/watch/evaluations/evl_${'0'.repeat(26)}`))

    expect(error).toBeInstanceOf(NotFoundError)
    expect(Object(error).error).toMatchObject({ code: 'not_found' })
  })

  test('409: ConflictError, after the client has tried again in vain', async () => {
    const { rule } = await flowOf('1 == 1')

    const error = await refusal(shop.client.delete(`${authoring}/rules/${rule}`))

    expect(error).toBeInstanceOf(ConflictError)
    expect(Object(error).error).toMatchObject({ code: 'rule_in_use' })
    expect(await shop.client.get<object, Made>(`${authoring}/rules/${rule}`)).toMatchObject({
      id: rule,
    })
  })
})

/** Where the log ends by now: the position of a write that comes after everything. */
async function positionNow(): Promise<string> {
  const { response } = await shop.client.watch
    .sendEvents({ events: [{ target, label: 'nothing', confidence: 'neutral' }] })
    .withResponse()
  return response.headers.get('x-vigil-position') ?? ''
}
