import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import { findServedApp } from '../../src/queries/sessions/servedApps.ts'
import {
  requireSigner,
  signAccessToken,
  verifyAppAccessToken,
} from '../../src/state/sessions/accessTokens.ts'
import { type Instance, openTwoInstances } from '../support/openTwoInstances.ts'
import { openCustomer } from '../support/openVigil.ts'

const domain = 'session.localhost'
const order = {
  id: 'ses_01jc0t6fwwfgfsq1md24mhyztk',
  userId: 'usr_01jc0t6fwwfgfsq1md24mhyztj',
}

interface Times {
  readonly issuedAtMs: number
  readonly sessionExpiresAtMs: number
}

function tokensOf({ context }: Instance) {
  return {
    make: async ({ issuedAtMs: last_seen_at, sessionExpiresAtMs: expires_at }: Times) =>
      signAccessToken(context, {
        signer: await requireSigner(context, 'corner1'),
        id: order.id,
        state: { user: order.userId, generation: 0, scopes: ['orders'], last_seen_at, expires_at },
        countryCode: 'FR',
      }),
    /** Whether the instance takes the token for one of the application. */
    takes: async (text: string, appId = 'corner1') => {
      const app = await findServedApp(context, appId)
      return app && typeof (await verifyAppAccessToken(context, app, text)) === 'object'
    },
  }
}

async function openShop() {
  const { a, b } = await openTwoInstances()
  const { send } = await openCustomer(a)
  await send('POST', '/v2/session/apps', { name: 'Shop', app_id: 'corner1' })
  await send('POST', '/v2/session/apps', { name: 'Other', app_id: 'other01' })
  return { a, b, send }
}

const orderNow = () => ({
  issuedAtMs: Date.now(),
  sessionExpiresAtMs: Date.now() + 86_400_000,
})

test('what one instance makes every other takes, and so does whoever has the published keys', async () => {
  const { a, b } = await openShop()
  const { access_token, expires_at } = await tokensOf(a).make(orderNow())

  const headers = { host: `corner1.${domain}` }
  const { body } = await b.door.request('GET', '/.well-known/jwks.json', { headers })
  const jwks = createLocalJWKSet(body as unknown as JSONWebKeySet)
  const issuer = `https://corner1.${domain}`
  const { payload } = await jwtVerify(access_token, jwks, { issuer, audience: 'corner1' })

  expect(await tokensOf(b).takes(access_token)).toBe(true)
  expect(await tokensOf(b).takes(access_token, 'other01')).toBe(false)
  expect(payload).toMatchObject({ sub: order.userId, sid: order.id, exp: expires_at })
})

test('a token lives as long as the application says, and no longer than its session', async () => {
  const { a, send } = await openShop()
  const nowMs = 1_800_000_000_000
  const make = async (sessionMs: number) => {
    const times = { issuedAtMs: nowMs, sessionExpiresAtMs: nowMs + sessionMs }
    return (await tokensOf(a).make(times)).expires_at - nowMs / 1_000
  }
  const usual = await make(86_400_000)
  const settings = { tokens: { access_seconds: 90 } }
  await send('PUT', '/v2/session/apps/corner1/settings', settings)

  expect([usual, await make(86_400_000), await make(30_000)]).toEqual([600, 90, 30])
})

test('a token that was taken before is taken no longer than any other', async () => {
  const { a } = await openShop()
  let nowMs = Date.now()
  const context = { ...a.service.context, clock: { nowMs: () => nowMs } }
  const app = await findServedApp(context, 'corner1')
  const times = { issuedAtMs: nowMs, sessionExpiresAtMs: nowMs + 86_400_000 }
  const { access_token } = await tokensOf(a).make(times)
  const isTaken = async (atMs: number) => {
    nowMs = atMs
    return app && typeof (await verifyAppAccessToken(context, app, access_token)) === 'object'
  }
  const { issuedAtMs } = times
  const beginMs = Math.floor(issuedAtMs / 1_000) * 1_000

  expect(await isTaken(beginMs)).toBe(true)
  expect(await isTaken(beginMs + 604_000)).toBe(true)
  expect(await isTaken(beginMs + 605_000)).toBe(false)
  expect(await isTaken(beginMs - 5_000)).toBe(true)
  expect(await isTaken(beginMs - 6_000)).toBe(false)
})
