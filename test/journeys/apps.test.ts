import { describe, expect, test } from 'vitest'
import { openShopOfFile } from '../support/openOfFile.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { type Customer, openCustomer, operatorToken, sendAs } from '../support/openVigil.ts'

const { vigil, shop } = await openShopOfFile()
const other = await openCustomer(vigil)

const apps = '/v2/session/apps'
const register = (customer: Customer, input: object = {}) =>
  customer.send('POST', apps, { name: 'Shop', ...input })
const newApp = async (customer = shop) => String((await register(customer)).body['app_id'])

describe('an application', () => {
  test('is registered under an id that is made for it', async () => {
    const { status, body } = await register(shop)

    expect([status, body['app_id']]).toEqual([201, expect.stringMatching(/^[a-z0-9]{7}$/)])
    expect((await shop.send('GET', `${apps}/${body['app_id']}`)).body).toEqual(body)
  })

  test('takes an id of its own, which nobody else has from then on', async () => {
    const own = await register(shop, { app_id: 'corner1' })

    const mine = await register(shop, { app_id: 'corner1' })
    const theirs = await register(other, { app_id: 'corner1' })

    expect(own).toMatchObject({ status: 201, body: { app_id: 'corner1' } })
    const refusal = {
      code: 'conflict',
      message: 'This application id is taken; choose another.',
      type: 'conflict',
    }
    for (const { status, body } of [mine, theirs]) {
      expect({ status, body }).toEqual({
        status: 409,
        body: { ...refusal, request_id: expect.any(String) },
      })
    }
  })

  test('stays taken when it is retired', async () => {
    await register(shop, { app_id: 'retire1' })

    const retired = await shop.send('DELETE', `${apps}/retire1`)
    const repeated = await shop.send('DELETE', `${apps}/retire1`)
    const [seen, set] = [
      await shop.send('GET', `${apps}/retire1`),
      await shop.send('PUT', `${apps}/retire1/settings`, { allowed_origins: [] }),
    ]

    expect([retired.status, repeated.status, seen.status, set.status]).toEqual([204, 204, 404, 404])
    expect((await register(other, { app_id: 'retire1' })).status).toBe(409)
    const { body } = await shop.send('GET', `${apps}?limit=200`)
    expect(body['apps']).toContainEqual(
      expect.objectContaining({ app_id: 'retire1', retired_at: expect.any(String) }),
    )
  })

  test.each(['short', 'toolong1', 'Upper12', 'dot.dot', 'sp ace1', 'ünicode'])(
    'cannot be called %s',
    async (app_id) => {
      const { status, body } = await register(shop, { app_id })

      expect(status).toBe(400)
      expect(body).toMatchObject({ details: [{ path: 'app_id' }] })
    },
  )

  test('is the last of 500, and is answered again under its key; one more is refused', async () => {
    const many = await openCustomer(vigil)
    const send = (key: string, input: object = {}) =>
      many.send('POST', apps, { name: 'Shop', ...input }, { 'idempotency-key': key })
    const chosen = await send('chosen', { app_id: 'chosen1' })
    // the last of them come together with more than there is room for
    const made: string[] = []
    for (let batch = 0; batch < 8; batch += 1) {
      const keys = Array.from({ length: 64 }, (_, at) => `app-${batch * 64 + at}`)
      const answers = await Promise.all(keys.map((key) => send(key)))
      made.push(...keys.filter((_, at) => answers[at]?.status === 201))
      expect(new Set(answers.map(({ status }) => status).filter((one) => one !== 201))).toEqual(
        new Set(batch === 7 ? [409] : []),
      )
    }
    expect(made.length).toBe(499)
    const one = made.at(-1) ?? ''

    const repeated = await send('chosen', { app_id: 'chosen1' })
    const [last, lastAgain] = [await send(one), await send(one)]

    expect([repeated.status, repeated.text]).toEqual([201, chosen.text])
    expect([last.status, lastAgain.text]).toEqual([201, last.text])
    expect(await send(one, { name: 'Another' })).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    })
    for (const more of [
      await send('app-more'),
      await register(many),
      await register(many, { app_id: 'chosen1' }),
    ]) {
      expect(more).toMatchObject({
        status: 409,
        body: { code: 'conflict', message: 'An account has at most 500 applications.' },
      })
    }
  })
})

describe('settings', () => {
  test('change what is named and leave the rest, within a group too', async () => {
    const appId = await newApp()

    await shop.send('PUT', `${apps}/${appId}/settings`, { tokens: { access_seconds: 300 } })
    const { status, body } = await shop.send('PUT', `${apps}/${appId}/settings`, {
      tokens: { refresh_seconds: 3_600 },
      allowed_origins: ['https://shop.example', 'http://localhost:3000'],
    })

    expect(status).toBe(200)
    expect(body['settings']).toMatchObject({
      tokens: { access_seconds: 300, refresh_seconds: 3_600, signing_key_days: 90 },
      allowed_origins: ['https://shop.example', 'http://localhost:3000'],
      password_change_revokes: 'others',
    })
    expect((await shop.send('GET', `${apps}/${appId}`)).body).toEqual(body)
  })

  test.each([
    ['tokens.access_seconds', { tokens: { access_seconds: 59 } }],
    ['tokens.access_seconds', { tokens: { access_seconds: 60.5 } }],
    ['tokens.session_days', { tokens: { session_days: 3_661 } }],
    ['tokens.refresh', { tokens: { refresh: 600 } }],
    ['password.min_length', { password: { min_length: 200 } }],
    ['password.min_length', { password: { min_length: 7 } }],
    ['password.max_length', { password: { max_length: 9, uppercase: 5, numbers: 5 } }],
    ['password_change_revokes', { password_change_revokes: 'some' }],
    ['allowed_origins.0', { allowed_origins: ['*'] }],
    ['allowed_origins.0', { allowed_origins: ['https://*.shop.example'] }],
    ['allowed_origins.0', { allowed_origins: ['null'] }],
    ['allowed_origins.0', { allowed_origins: ['shop.example'] }],
    ['allowed_origins.0', { allowed_origins: ['http://shop.example'] }],
    ['allowed_origins.0', { allowed_origins: ['https://shop.example/'] }],
    ['allowed_origins.0', { allowed_origins: ['https://shop.example:443'] }],
    ['allowed_origins.0', { allowed_origins: ['https://SHOP.example'] }],
    ['allowed_origins.0', { allowed_origins: ['https://user@shop.example'] }],
    ['allowed_origins.1', { allowed_origins: ['https://a.example', 'https://*.example/*'] }],
  ])('that cannot be met are refused at %s', async (path, input) => {
    const appId = await newApp()

    const { status, body } = await shop.send('PUT', `${apps}/${appId}/settings`, input)

    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'invalid_request', details: [{ path }] })
  })

  test('are checked when an application is registered, under their place in the request', async () => {
    const settings = { allowed_origins: ['https://shop.example/'] }

    const { status, body } = await register(shop, { settings })

    expect(status).toBe(400)
    expect(body).toMatchObject({ details: [{ path: 'settings.allowed_origins.0' }] })
  })
})

describe('the operator', () => {
  const operate = (method: string, path: string, body?: object) =>
    sendAs(vigil, operatorToken)(method, `/v2/operator/accounts/${path}`, body)

  test('does the same for any account', async () => {
    const path = `${shop.accountId}/apps`
    const made = await operate('POST', path, { name: 'By hand', app_id: 'byhand1' })
    const set = await operate('PUT', `${path}/byhand1/settings`, { password_change_revokes: 'all' })

    expect([made.status, set.status]).toEqual([201, 200])
    expect((await shop.send('GET', `${apps}/byhand1`)).body).toEqual(set.body)
    expect((await operate('GET', `${other.accountId}/apps/byhand1`)).status).toBe(404)
    expect((await operate('DELETE', `${path}/byhand1`)).status).toBe(204)
    expect((await shop.send('GET', `${apps}/byhand1`)).status).toBe(404)
  })

  test('registers none for an account that there is not', async () => {
    const path = `acc_${'0'.repeat(26)}/apps`

    expect((await operate('POST', path, { name: 'Nobody' })).status).toBe(404)
  })
})

test('an application and its settings are true on every instance, also on one that hears nothing', async () => {
  const { a, b } = await openTwoInstances({ deaf: true })
  const customer = await openCustomer(a)
  const { token } = customer
  const { body: made } = await customer.send('POST', apps, { name: 'Shop' })
  const path = `${apps}/${made['app_id']}/settings`
  const tokens = { access_seconds: 300 }

  const set = await b.door.request('PUT', path, { token, body: { tokens } })
  const back = await customer.send('PUT', path, { password_change_revokes: 'none' })

  expect(set.status).toBe(200)
  expect(back.body['settings']).toMatchObject({ tokens, password_change_revokes: 'none' })
})
