import { decodeJwt } from 'jose'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import { decode } from '../../src/events/catalogue.ts'
import type { KeyState } from '../../src/events/recording/sealing.ts'
import { appStream, listVerifyingKeys } from '../../src/events/sessions/appEvents.ts'
import { sessionStream } from '../../src/events/sessions/session.ts'
import { refreshRateLimit } from '../../src/http/sessions/refreshRoutes.ts'
import { crashedCopy } from '../support/crashedCopy.ts'
import { dpopKey } from '../support/dpopKey.ts'
import { nothingMoreComes } from '../support/nothingMoreComes.ts'
import { type Instance, openTwoInstances } from '../support/openTwoInstances.ts'
import { type Customer, openCustomer, openVigil } from '../support/openVigil.ts'
import {
  type Refreshed,
  type Refreshing,
  refresh,
  refreshOnce,
  urlOf,
} from '../support/refreshing.ts'
import { newApp, type StartedSession, startSession } from '../support/startSession.ts'

const appId = 'corner1'
const origin = 'https://shop.example'

let a: Instance
let b: Instance
let shop: Customer
let session: StartedSession

beforeEach(async () => {
  const both = await openTwoInstances()
  a = both.a
  b = both.b
  shop = await openCustomer(a)
  const settings = { allowed_origins: [origin] }
  await newApp(shop, { app_id: appId, settings })
  session = await startSession(shop, appId)
})

/** An instance of its own, with a session. */
async function openOne(options: Parameters<typeof openVigil>[0] = {}) {
  const vigil = await openVigil(options)
  onTestFinished(vigil.close)
  const customer = await openCustomer(vigil)
  await newApp(customer, { app_id: appId })
  return { vigil, customer, started: await startSession(customer, appId) }
}

const on = ({ door: { port } }: Instance, rest: Partial<Refreshing>): Refreshing => ({
  port,
  appId,
  ...rest,
})

/** What stands in the stream of the session after its start. */
const history = async ({ id } = session) => {
  const recorded = await a.context.events.readStream(sessionStream(id), { from: 1, limit: 100 })
  return recorded.map((one) => {
    const { type, data } = decode(one).event
    return type === 'SessionRevoked' ? `${type} ${String(Object(data).reason)}` : type
  })
}

/** The one that the application signs with. */
const signingKey = async () => {
  const { state } = await a.context.apps.getFolded(appStream(appId))
  return (state && listVerifyingKeys(state).at(-1)?.kid) ?? ''
}

const unauthorized = {
  status: 401,
  text: '{"code":"unauthorized","type":"unauthorized","message":"The access token is missing or not valid."}',
}

describe('a refresh', () => {
  test('answers tokens of the session, and a refresh token in place of the one presented', async () => {
    const key = dpopKey()

    const first = await refresh(on(a, { token: session.token, key }))
    const second = await refresh(on(b, { token: first.token, key, claims: { nonce: first.nonce } }))

    expect([first.status, second.status]).toEqual([200, 200])
    expect(first.body).toEqual({ access_token: expect.any(String), expires_at: expect.any(Number) })
    expect(decodeJwt(String(first.body['access_token']))).toMatchObject({
      iss: 'https://corner1.session.localhost',
      aud: appId,
      sub: session.user,
      sid: session.id,
      cc: 'FR',
      exp: first.body['expires_at'],
    })
    expect(Date.parse(String(first.headers['x-refresh-token-expires-at']))).toBeGreaterThan(
      Date.now() + 29 * 24 * 60 * 60 * 1_000,
    )
    expect(first.headers['cache-control']).toBe('no-store')
    expect(first.headers['set-cookie']).toBeUndefined()
    expect(new Set([session.token, first.token, second.token]).size).toBe(3)
    expect(await history()).toEqual(['SessionRefreshed', 'SessionRefreshed'])
  })

  test('is shown in the list that the session asks for next, though the read models are behind', async () => {
    await shop.send('POST', `/v2/session/apps/${appId}/users/${session.user}/sessions`, {})
    a.projecting.freeze()
    const { body: access } = await refresh(on(a, { token: session.token, key: dpopKey() }))
    const listing = a.door.request<{ readonly sessions: readonly object[] }>(
      'GET',
      '/v1/session/me/list',
      {
        token: String(access['access_token']),
        headers: { host: `${appId}.session.localhost` },
      },
    )
    await nothingMoreComes(100)
    a.projecting.thaw()

    const { sessions } = (await listing).body
    expect(sessions[0]).toMatchObject({ id: session.id })
    expect(sessions).toHaveLength(2)
  })

  test('needs a proof, and a nonce that the answer gives', async () => {
    const key = dpopKey()

    const without = await refreshOnce(on(a, { token: session.token }))
    const first = await refreshOnce(on(a, { token: session.token, key }))
    const second = await refreshOnce(
      on(a, { token: session.token, key, claims: { nonce: first.nonce } }),
    )

    expect(without).toMatchObject({ status: 400, body: { code: 'missing_dpop_proof' } })
    expect(first).toMatchObject({
      status: 400,
      body: { code: 'use_dpop_nonce', type: 'bad_request' },
      nonce: expect.stringMatching(/^[\w-]{22}$/),
    })
    expect(second.status).toBe(200)
    expect(await history()).toEqual(['SessionRefreshed'])
  })
})

describe('an answer that was lost', () => {
  test('is given again to another proof by the same key, whichever instance is asked', async () => {
    const key = dpopKey()
    const lost = await refresh(on(a, { token: session.token, key }))

    const again = await refresh(on(b, { token: session.token, key }))
    const once = await refresh(on(a, { token: session.token, key }))
    const next = await refresh(on(b, { token: again.token, key }))

    for (const repeated of [again, once]) {
      expect(repeated.text).toBe(lost.text)
      expect(repeated.token).toBe(lost.token)
      expect(repeated.nonce).toBe(lost.nonce)
    }
    expect(next.status).toBe(200)
    expect(await history()).toEqual([
      'SessionRefreshed',
      'RefreshRepeated',
      'RefreshRepeated',
      'SessionRefreshed',
    ])
  })

  test('is given again by a service that was killed before it could send it', async () => {
    const { vigil: first, started } = await openOne()
    const key = dpopKey()
    const nowMs = Date.now()
    first.setTime(nowMs)
    const lost = await refresh({ port: first.door.port, appId, token: started.token, key })
    const copy = crashedCopy(first.folder)
    const second = await openVigil({ folder: copy })
    second.setTime(nowMs + 290_000)

    const again = await refresh({ port: second.door.port, appId, token: started.token, key })

    expect(lost.status).toBe(200)
    expect([again.text, again.token]).toEqual([lost.text, lost.token])
    await second.close()
  })

  test('is not given to the same proof again: whoever saw the request go by has nothing', async () => {
    const key = dpopKey()
    const { nonce } = await refreshOnce(on(a, { token: session.token, key }))
    const proof = key.proof({ htu: urlOf(on(a, {})), nonce })
    const retry = key.proof({ htu: urlOf(on(a, {})), nonce })
    await refreshOnce(on(a, { token: session.token, proof }))

    const replayed = await refreshOnce(on(a, { token: session.token, proof }))
    const retried = await refreshOnce(on(a, { token: session.token, proof: retry }))
    const elsewhere = { host: `${appId}.session.localhost:${a.door.port}` }
    const replayedRetry = await refreshOnce(
      on(b, { token: session.token, proof: retry, headers: elsewhere }),
    )

    expect(retried.status).toBe(200)
    for (const refused of [replayed, replayedRetry]) {
      const message = 'The DPoP proof is not valid. It was used before.'
      expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_dpop_proof', message } })
      expect(refused.token).toBe('')
    }
    expect(await history()).toEqual(['SessionRefreshed', 'RefreshRepeated'])
  })

  test('is given to two who ask at once with one key, from two instances', async () => {
    const key = dpopKey()
    const asked = await Promise.all(
      [a, b, a, b].map((one) => refresh(on(one, { token: session.token, key }))),
    )

    expect(asked.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(new Set(asked.map(({ token, text }) => `${token} ${text}`)).size).toBe(1)
    expect((await history()).filter((type) => type === 'SessionRefreshed')).toHaveLength(1)
  })
})

describe('a refresh that cannot be answered', () => {
  /** The key of the device, and the one that signs. */
  const keysOf = async () => {
    const [started] = await a.context.events.readStream(sessionStream(session.id), {
      from: 0,
      limit: 1,
    })
    const device = /"key":"([^"]+)"/.exec(started?.data ?? '')?.[1] ?? ''
    return { device, signing: await signingKey() }
  }

  const faults = {
    'is away': () => {
      throw new Failure('unavailable', 'The key store is away.')
    },
    'has lost it': () => new Map<string, KeyState>(),
  }

  test.for([
    ['device', 'is away'],
    ['device', 'has lost it'],
    ['signing', 'is away'],
    ['signing', 'has lost it'],
  ] as const)('leaves the token as it was: %s key, the key store %s', async ([which, how]) => {
    const key = dpopKey()
    const asked = on(a, { token: session.token, key })
    const { [which]: id } = await keysOf()
    const { keys } = a.context.keyring
    Object.assign(a.context.keyring, {
      keys: async (ids: readonly string[]) => (ids.includes(id) ? faults[how]() : keys(ids)),
    })

    const unanswered = await refresh(asked)
    Object.assign(a.context.keyring, { keys })
    Object.assign(a.context.clock, { nowMs: () => Date.now() + 11_000 })
    const later = await refresh(asked)

    expect(id).not.toBe('')
    expect(unanswered).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    expect(later.status).toBe(200)
    expect(await history()).toEqual(['SessionRefreshed'])
  })
})

test('a session that could not be answered is not started', async () => {
  const kid = await signingKey()
  const sessions = `/v2/session/apps/${appId}/users/${session.user}/sessions`
  const { keys } = a.context.keyring
  Object.assign(a.context.keyring, {
    keys: (ids: readonly string[]) => (ids.includes(kid) ? new Map() : keys(ids)),
  })

  const unanswered = await shop.send('POST', sessions, {})
  Object.assign(a.context.keyring, { keys })

  expect(kid).not.toBe('')
  expect(unanswered).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect((await shop.send('GET', sessions)).body['sessions']).toHaveLength(1)
})

describe('how often a session is refreshed', () => {
  test('is bounded, for genuine tokens and before their proofs are looked at', async () => {
    let nowMs = 0
    const {
      vigil,
      customer,
      started: { token },
    } = await openOne({ nowMs: () => nowMs })
    const { port } = vigil.door
    const other = await startSession(customer, appId)
    const ask = (asked: Partial<Refreshing>) => refreshOnce({ port, appId, token, ...asked })
    const { burst, perSecond } = refreshRateLimit

    const forged = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`
    for (let time = 0; time < burst; time += 1) {
      expect(await ask({ token: forged })).toMatchObject(unauthorized)
      expect((await ask({})).body['code']).toBe('missing_dpop_proof')
    }
    const limited = await ask({ key: dpopKey() })
    const others = await refresh({ port, appId, token: other.token, key: dpopKey() })
    nowMs += Number(limited.headers['retry-after']) * 1_000
    const later = await refresh({ port, appId, token, key: dpopKey() })

    expect(limited).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(limited.headers['retry-after']).toBe(String(2 / perSecond))
    expect(others.status).toBe(200)
    // the nonce that it asks for, and the refresh itself
    expect(later.status).toBe(200)
  })

  test('leaves whoever waits as long as told in time for the answer that was lost', async () => {
    let nowMs = 0
    const { vigil, started } = await openOne({ nowMs: () => nowMs })
    const key = dpopKey()
    const startMs = Date.now()
    const pass = (ms: number) => {
      nowMs += ms
      vigil.setTime(startMs + nowMs)
    }
    pass(0)
    const next = ({ token, nonce }: Pick<Refreshed, 'token' | 'nonce'>) =>
      refreshOnce({ port: vigil.door.port, appId, key, token, claims: { nonce } })
    let before = await next({ token: started.token, nonce: '' })
    let last = await next({ token: started.token, nonce: before.nonce })
    for (let asked = 2; asked < refreshRateLimit.burst; asked += 1) {
      before = last
      last = await next(before)
    }

    const limited = await next(before)
    pass(Number(limited.headers['retry-after']) * 1_000)
    const again = await next(before)

    expect(limited).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect([again.status, again.token]).toEqual([200, last.token])
  })
})

describe('a refresh token that was used before', () => {
  test('ends the session, for the thief and for the user, on every instance', async () => {
    const key = dpopKey()
    const first = await refresh(on(a, { token: session.token, key }))
    const second = await refresh(on(a, { token: first.token, key }))

    const reused = await refresh(on(b, { token: session.token, key: dpopKey() }))
    const users = await refresh(on(a, { token: second.token, key }))

    expect(reused).toMatchObject(unauthorized)
    expect(users).toMatchObject(unauthorized)
    expect(await history()).toEqual([
      'SessionRefreshed',
      'SessionRefreshed',
      'SessionRevoked reuse',
    ])
  })

  test('by another key ends the session at once, though its answer might have been lost', async () => {
    const [one, other] = await Promise.all(
      [a, b].map((instance) => refresh(on(instance, { token: session.token, key: dpopKey() }))),
    )

    expect([one?.status, other?.status].toSorted()).toEqual([200, 401])
    expect(await history()).toEqual(['SessionRefreshed', 'SessionRevoked reuse'])
  })
})

describe('what is no token', () => {
  test('is unauthorized without a read of the log', async () => {
    const before = a.reads()
    const texts = [
      undefined,
      '',
      'made up',
      'vgl_00000000000000000000000000_00000000000000000000000000_x',
      `vgr_${'0'.repeat(26)}_${'a'.repeat(43)}_${'b'.repeat(22)}`,
      'x'.repeat(8_000),
    ]

    for (const token of texts) {
      const asked = on(a, token === undefined ? {} : { token })
      expect(await refreshOnce(asked)).toMatchObject(unauthorized)
      expect(await refreshOnce({ ...asked, path: '/v1/session/revoke' })).toMatchObject(
        unauthorized,
      )
    }
    expect(a.reads()).toBe(before)
  })
})

describe('the cookie of an application', () => {
  const cookie = (token: string) => ({ cookie: `a=b; __refresh_${appId}=${token}; c="d"` })
  const attributes = /; Path=\/v1\/session; Expires=[^;]+ GMT; Secure; HttpOnly; SameSite=Strict$/

  test('carries the token, and the next one', async () => {
    const key = dpopKey()

    const first = await refresh(on(a, { key, headers: { ...cookie(session.token), origin } }))
    const [set = ''] = first.headers['set-cookie'] ?? []
    const next = /^__refresh_corner1=([^;]+);/.exec(set)?.[1] ?? ''
    const second = await refresh(on(a, { key, headers: cookie(next) }))

    expect([first.status, second.status]).toEqual([200, 200])
    expect(set).toMatch(attributes)
    expect(set).not.toContain('Domain')
    expect(next).toBe(first.token)
  })

  test('counts less than the header, and is kept up with it', async () => {
    const key = dpopKey()
    const first = await refresh(on(a, { token: session.token, key }))

    const second = await refresh(on(a, { token: first.token, key, headers: cookie(session.token) }))

    expect(second.status).toBe(200)
    expect(second.headers['set-cookie']?.[0]).toContain(second.token)
  })

  test('counts for nothing when a page of another site sends it', async () => {
    const origins = [
      'https://evil.example',
      'null',
      'http://shop.example',
      `${origin}.evil.example`,
    ]
    for (const foreign of origins) {
      const headers = { ...cookie(session.token), origin: foreign }

      const refreshed = await refresh(on(a, { key: dpopKey(), headers }))
      const revoked = await refreshOnce(on(a, { headers, path: '/v1/session/revoke' }))

      for (const refused of [refreshed, revoked]) {
        expect(refused).toMatchObject(unauthorized)
        expect(refused.headers['access-control-allow-origin']).toBeUndefined()
      }
    }
    expect(await history()).toEqual([])
  })
})

describe('POST /v1/session/revoke', () => {
  const revoke = (token: string, headers = {}) =>
    refreshOnce(on(a, { token, headers, path: '/v1/session/revoke' }))

  test('ends the session on every instance, and again is no error', async () => {
    const key = dpopKey()
    const first = await refresh(on(b, { token: session.token, key }))

    const revoked = await revoke(first.token, { cookie: `__refresh_${appId}=x` })
    const again = await revoke(first.token)
    const refused = await refresh(on(b, { token: first.token, key }))

    expect([revoked.status, again.status]).toEqual([204, 204])
    expect(revoked.headers['set-cookie']?.[0]).toMatch(/^__refresh_corner1=; .*Expires=Thu, 01 Jan/)
    expect(refused).toMatchObject(unauthorized)
    expect(await history()).toEqual(['SessionRefreshed', 'SessionRevoked user'])
  })
})
