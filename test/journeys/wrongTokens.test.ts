/** Wrong tokens are limited by the address they come from; right ones are not hurt. */

import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { wrongTokenRate } from '../../src/http/middleware/limitRates.ts'
import {
  type Customer,
  openCustomer,
  openVigil,
  operatorToken,
  type Vigil,
} from '../support/openVigil.ts'
import { newApp, newSession, newUser } from '../support/startSession.ts'

const start = Date.UTC(2026, 10, 21)
const attacker = '203.0.113.7'
let vigil: Vigil
let shop: Customer
/** Of the rates. */
let nowMs = 0

beforeEach(async () => {
  nowMs = 0
  vigil = await openVigil({ trustedProxies: 1, nowMs: () => nowMs })
  onTestFinished(vigil.close)
  vigil.setTime(start)
  shop = await openCustomer(vigil)
})

type Sent = NonNullable<Parameters<Vigil['door']['request']>[2]>

const from = (address: string, route: string, { headers, ...sent }: Sent) => {
  const [method = '', path = ''] = route.split(' ')
  const forwarded = { ...headers, 'x-forwarded-for': address }
  return vigil.door.request(method, path, { ...sent, headers: forwarded })
}
const readRules = (token: string, address = attacker) =>
  from(address, 'GET /v2/watch/management/rules', { token })

/** So many that one more is one too many. */
const exhaust = async (guess: () => Promise<{ readonly status: number }>): Promise<number[]> => {
  const statuses: number[] = []
  for (let count = 0; count < wrongTokenRate.burst; count += 1) {
    statuses.push((await guess()).status)
  }
  return [...new Set(statuses)]
}

const oneDigitOff = (text: string) => `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}`

test('wrong API tokens of an address are 429 after some, from no other address, and 401 again after a while', async () => {
  expect(await exhaust(() => readRules(oneDigitOff(shop.token)))).toEqual([401])

  const refused = await readRules('another')
  expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
  expect(refused.headers['retry-after']).toBe('1')
  expect((await readRules('another', '203.0.113.8')).status).toBe(401)

  nowMs += 1_000
  expect((await readRules('another')).status).toBe(401)
  expect((await readRules('another')).status).toBe(429)
})

test('right tokens from the same address are answered, and count as nothing', async () => {
  const operate = () => from(attacker, 'GET /v2/operator/accounts', { token: operatorToken })
  for (let count = 0; count <= wrongTokenRate.burst; count += 1) await readRules(shop.token)

  expect(await exhaust(() => readRules('wrong'))).toEqual([401])

  expect((await readRules('wrong')).status).toBe(429)
  expect((await readRules(shop.token)).status).toBe(200)
  expect((await operate()).status).toBe(200)
})

test('every kind of token is counted together', async () => {
  const app = await newApp(shop, { app_id: 'corner1' })
  const session = await newSession(shop, await newUser(shop, app))
  const onHost = (route: string, sent: Sent) =>
    from(attacker, route, {
      ...sent,
      headers: { ...sent.headers, host: 'corner1.session.localhost' },
    })
  const guesses = {
    operator: () =>
      from(attacker, 'GET /v2/operator/accounts', { token: oneDigitOff(operatorToken) }),
    'API token': () => readRules(oneDigitOff(shop.token)),
    'SDK key': () =>
      from(attacker, 'POST /v1/signals', { headers: { 'x-sdk-key': 'wrong' }, body: {} }),
    'access token': () =>
      onHost('GET /v1/session/me/list', { token: `${session.token.slice(0, -8)}AAAAAAAA` }),
    'refresh token': () =>
      onHost('POST /v1/session/refresh', {
        headers: { 'x-refresh-token': oneDigitOff(session.refreshToken) },
      }),
    'refresh token of a session to end': () =>
      onHost('POST /v1/session/revoke', {
        headers: { 'x-refresh-token': oneDigitOff(session.refreshToken) },
      }),
    'no bearer token': () =>
      from(attacker, 'GET /v2/operator/accounts', { headers: { authorization: 'Basic eDp5' } }),
  }
  const all = Object.entries(guesses)
  for (const [kind, guess] of all) expect([kind, (await guess()).status]).toEqual([kind, 401])
  for (let count = all.length; count < wrongTokenRate.burst; count += 1) await readRules('wrong')

  for (const [kind, guess] of all) expect([kind, (await guess()).status]).toEqual([kind, 429])
  expect((await onHost('GET /v1/session/me/list', { token: session.token })).status).toBe(200)
})

test('an access token that has expired, or whose session is over, is 401 however often: its client is to refresh it', async () => {
  const app = await newApp(shop, { app_id: 'corner2' })
  const user = await newUser(shop, app)
  const ended = await newSession(shop, user)
  await shop.send('DELETE', `${user}/sessions/${ended.id}`)
  const expired = await newSession(shop, user)
  const headers = { host: 'corner2.session.localhost' }
  const ask = (token: string) => from(attacker, 'GET /v1/session/me/list', { token, headers })

  expect(await exhaust(() => ask(ended.token))).toEqual([401])
  vigil.setTime(start + 24 * 60 * 60 * 1_000)
  expect(await exhaust(() => ask(expired.token))).toEqual([401])

  expect((await ask(expired.token)).status).toBe(401)
  expect((await readRules('wrong')).status).toBe(401)
})
