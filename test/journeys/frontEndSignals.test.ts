import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { EventStore } from '../../src/stores/eventStore.ts'
import { eventually } from '../support/eventually.ts'
import { dispatchOf, issueSdkKey, revokeSdkKey, sendSignals } from '../support/frontEnd.ts'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { type Customer, openCustomer, operatorToken, sendAs } from '../support/openVigil.ts'

type Body = Record<string, unknown>

const hourMs = 60 * 60 * 1_000
const client = '203.0.113.7'

let key: string
let nowMs = 0

const vigil = await openVigilOfFile({
  trustedProxies: 1,
  frontEnds: { ja4Header: 'x-ja4' },
  nowMs: () => nowMs,
})
const shop = await openCustomer(vigil)
const other = await openCustomer(vigil)

beforeAll(async () => {
  key = (await issueSdkKey(vigil, shop.accountId)).sdk_key
})

afterEach(() => {
  // nobody has sent anything lately
  nowMs += 60_000
})

const send = (body: unknown, headers: Record<string, string> = {}) =>
  sendSignals(vigil, { key, body, headers: { 'x-forwarded-for': client, ...headers } })

/** The evidence of an evaluation that names the dispatch, by name. */
async function evidenceOf(
  customer: Customer,
  change: object,
): Promise<{ readonly dispatch: unknown; readonly evidence: Record<string, unknown> }> {
  const flow = await customer.flowOf('signal.ip == "192.0.2.1"')
  const evaluated = await customer.evaluate(flow, change)
  expect(evaluated.status).toBe(200)
  const path = `/v2/watch/evaluations/${String(evaluated.body['id'])}`
  const { body } = await customer.send('GET', path)
  const replayed = await customer.send('POST', `${path}/replay`)
  expect(replayed.body).toEqual({ result: 'MATCH', differences: [] })
  const items = body['evidence'] as readonly { name: string; value: unknown; source: string }[]
  const device = items.filter(({ name }) => name.startsWith('signal.'))
  return {
    dispatch: body['dispatch'],
    evidence: Object.fromEntries(device.map(({ name, value, source }) => [name, [value, source]])),
  }
}

describe('signals that a front end sends', () => {
  test('are read by an evaluation that names them, and the request fills in what they leave out', async () => {
    const body = dispatchOf({ device_id: 'd-1', device_platform: 'web', app_version: '' })
    const headers = { 'x-ja4': 't13d1516h2_8daaf6152771_02713d6af862', 'user-agent': 'curl/8' }

    const sent = await send(body, headers)

    expect(sent.status).toBe(201)
    expect(sent.body).toEqual({ dispatch_id: body.dispatch_id })
    expect(sent.headers).not.toHaveProperty('x-vigil-position')
    const { dispatch_id } = body
    const signals = { device_id: 'd-2', app_version: '4.2.0' }
    expect(await evidenceOf(shop, { dispatch_id, signals })).toEqual({
      dispatch: 'found',
      evidence: {
        'signal.ip': [client, 'dispatch'],
        'signal.device_id': ['d-1', 'dispatch'],
        'signal.device_platform': ['web', 'dispatch'],
        'signal.app_version': ['4.2.0', 'request'],
        'signal.user_agent': ['curl/8', 'dispatch'],
        'signal.ja4_fingerprint': ['t13d1516h2_8daaf6152771_02713d6af862', 'dispatch'],
      },
    })
  })

  test('are recorded once: the same again is success, from wherever it comes, and other content a conflict', async () => {
    const body = dispatchOf({ device_id: 'd-1' })
    const first = await send(body)

    const again = await send(body, { 'x-forwarded-for': '198.51.100.9' })
    const different = await send({ ...body, signals: { device_id: 'd-2' } })

    expect([first.status, again.status, different.status]).toEqual([201, 201, 409])
    expect(again.text).toBe(first.text)
    expect(different.body).toMatchObject({ code: 'conflict', type: 'conflict' })
    const { evidence } = await evidenceOf(shop, { dispatch_id: body.dispatch_id })
    expect(evidence['signal.ip']).toEqual([client, 'dispatch'])
    expect(evidence['signal.device_id']).toEqual(['d-1', 'dispatch'])
  })

  test.each([
    ['an address', { ip: '192.0.2.1' }],
    ['a fingerprint', { ja4_fingerprint: 't13d1516h2_8daaf6152771_02713d6af862' }],
    ['the word of the backend', { is_trusted_user: true }],
    ['a signal of the caller', { ext: { cart_total: '1' } }],
    ['more text than a device has to say', { user_agent: 'x'.repeat(1_025) }],
    [
      'more text than a dispatch has',
      { user_agent: '€'.repeat(700), device_model: '€'.repeat(666) },
    ],
    ['a platform that there is not', { device_platform: 'toaster' }],
  ])('cannot claim %s', async (_, signals) => {
    const { status, body } = await send(dispatchOf(signals))

    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'invalid_request', param: 'request' })
  })

  test('are refused under an id that is not 36 characters long, or not the one of the header', async () => {
    const body = dispatchOf({})

    const short = await send({ ...body, dispatch_id: 'short' })
    const renamed = await send(body, { 'x-sdk-dispatchid': randomUUID() })
    const named = await send(body, { 'x-sdk-dispatchid': body.dispatch_id })

    expect(short.body).toMatchObject({ details: [{ path: 'dispatch_id' }] })
    expect(renamed.body).toMatchObject({ details: [{ path: 'X-SDK-DispatchID' }] })
    expect(named.status).toBe(201)
  })
})

describe('what an evaluation is answered', () => {
  test("is without signals for a dispatch that is unknown, expired, or another account's", async () => {
    const startMs = Date.UTC(2026, 10, 21)
    vigil.setTime(startMs - 24 * hourMs)
    const expired = dispatchOf({ device_id: 'd-1' })
    await send(expired)
    vigil.setTime(startMs - 24 * hourMs + 1)
    const alive = dispatchOf({ device_id: 'd-1' })
    await send(alive)
    vigil.setTime(startMs)

    const unknown = await evidenceOf(shop, { dispatch_id: randomUUID() })

    expect(unknown).toEqual({ dispatch: 'unknown', evidence: {} })
    const late = await evidenceOf(shop, { dispatch_id: expired.dispatch_id })
    expect(late).toEqual({ dispatch: 'expired', evidence: {} })
    expect(await evidenceOf(other, { dispatch_id: alive.dispatch_id })).toEqual(unknown)
    expect((await evidenceOf(shop, { dispatch_id: alive.dispatch_id })).dispatch).toBe('found')
  })

  test('is of its own account where two have sent under one id', async () => {
    const { sdk_key } = await issueSdkKey(vigil, other.accountId)
    const { dispatch_id } = dispatchOf({})
    const sent = [
      await send({ dispatch_id, signals: { device_id: 'of the shop' } }),
      await sendSignals(vigil, {
        key: sdk_key,
        body: { dispatch_id, signals: { device_id: 'of the other' } },
      }),
    ]

    expect(sent.map(({ status }) => status)).toEqual([201, 201])
    const read = [await evidenceOf(shop, { dispatch_id }), await evidenceOf(other, { dispatch_id })]
    expect(read.map(({ evidence }) => evidence['signal.device_id'])).toEqual([
      ['of the shop', 'dispatch'],
      ['of the other', 'dispatch'],
    ])
  })
})

describe('an SDK key', () => {
  test('is shown with its account, works until it is revoked, and is refused in the same words as none', async () => {
    const name = 'Web shop'
    const { key_id, sdk_key } = await issueSdkKey(vigil, shop.accountId, { name })
    const use = (one: string) => sendSignals(vigil, { key: one, body: dispatchOf({}) })
    expect((await use(sdk_key)).status).toBe(201)

    const revoked = [
      await revokeSdkKey(vigil, shop.accountId, key_id),
      await revokeSdkKey(vigil, shop.accountId, key_id),
    ]

    expect(revoked.map(({ status }) => status)).toEqual([204, 204])
    const made = sdk_key.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
    const refusals = [
      await use(sdk_key),
      await use(made),
      await use('vgp_x'),
      await use(`${key},${key}`),
    ]
    for (const { status, body } of refusals) {
      expect(status).toBe(401)
      expect({ ...body, request_id: '' }).toEqual({
        code: 'invalid_sdk_key',
        type: 'unauthorized',
        message: 'The SDK key is not valid.',
        request_id: '',
      })
    }
  })

  test('with origins is good for their pages alone, and says when it was used', async () => {
    const origins = ['https://shop.example', 'http://localhost:8080']
    const { key_id, sdk_key } = await issueSdkKey(vigil, shop.accountId, { origins })
    const from = (headers: Record<string, string>) =>
      sendSignals(vigil, { key: sdk_key, body: dispatchOf({}), headers })
    const keyPath = `/v2/operator/accounts/${shop.accountId}/sdk-keys/${key_id}`
    const put = (body: object) =>
      vigil.door.request<Body>('PUT', keyPath, { token: operatorToken, body })

    const answers = [
      await from({ origin: 'https://shop.example' }),
      await from({ origin: 'https://shop.example.evil.example' }),
      await from({ origin: 'null' }),
      await from({}),
    ]
    const refused = await put({ origins: ['https://shop.example/path'] })
    const opened = await put({ origins: [] })

    expect(answers.map(({ status }) => status)).toEqual([201, 403, 403, 403])
    expect(answers[1]?.body).toMatchObject({ code: 'origin_not_allowed', type: 'forbidden' })
    expect(answers[1]?.headers['access-control-allow-origin']).toBe('*')
    expect([refused.status, refused.body['code']]).toEqual([400, 'invalid_request'])
    expect(opened.body).toEqual({ key_id, sdk_key, origins: [] })
    expect((await from({})).status).toBe(201)
    await eventually(async () => {
      const account = await sendAs(vigil, operatorToken)(
        'GET',
        `/v2/operator/accounts/${shop.accountId}`,
      )
      const keys = account.body['sdk_keys'] as Body[]
      return keys.some((one) => one['key_id'] === key_id && 'last_used_at' in one)
    })
  })

  test("of another account cannot be revoked under one's own", async () => {
    const { key_id } = await issueSdkKey(vigil, other.accountId)

    expect((await revokeSdkKey(vigil, shop.accountId, key_id)).status).toBe(404)
  })
})

describe('on two instances', () => {
  test('a dispatch that is on record is answered while sealing keys are short', async () => {
    const { a } = await openTwoInstances()
    const { sdk_key } = await issueSdkKey(a, (await openCustomer(a)).accountId)
    const sent = { key: sdk_key, body: dispatchOf({ device_id: 'd-1' }) }
    await sendSignals(a, sent)
    Object.assign(a.keyring, { hasSpare: () => false })

    expect((await sendSignals(a, sent)).status).toBe(201)
  })

  test('of two contents sent under one id at the same moment one wins, and the other is told so', async () => {
    const { a, b } = await openTwoInstances()
    const customer = await openCustomer(a)
    const { sdk_key } = await issueSdkKey(a, customer.accountId)
    const { dispatch_id } = dispatchOf({})
    // the other one is only faster: it writes after this one has looked, and before it writes
    const original = a.context.events.append
    const faster: EventStore['append'] = async (append) => {
      if (!append.stream.startsWith('dispatch-')) return original(append)
      Object.assign(a.context.events, { append: original })
      await sendSignals(b, { key: sdk_key, body: { dispatch_id, signals: { device_id: 'b' } } })
      return original(append)
    }
    Object.assign(a.context.events, { append: faster })

    const late = await sendSignals(a, {
      key: sdk_key,
      body: { dispatch_id, signals: { device_id: 'a' } },
    })

    expect(late.status).toBe(409)
    const same = await sendSignals(a, {
      key: sdk_key,
      body: { dispatch_id, signals: { device_id: 'b' } },
    })
    expect(same.status).toBe(201)
  })
})
