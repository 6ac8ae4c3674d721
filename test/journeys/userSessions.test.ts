import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { sessionStream } from '../../src/events/sessions/session.ts'
import { openMetrics } from '../../src/metrics/openMetrics.ts'
import { dpopKey } from '../support/dpopKey.ts'
import { eventually } from '../support/eventually.ts'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { openTwoWithUser } from '../support/openTwoWithUser.ts'
import { openCustomer, sendAs } from '../support/openVigil.ts'
import { refresh } from '../support/refreshing.ts'
import { newApp, newSession, newUser as newUserOf } from '../support/startSession.ts'

type Body = Record<string, unknown>
interface Shown {
  readonly id: string
  readonly last_seen_at: string
}

const metrics = openMetrics()
let app: string
const start = Date.UTC(2026, 10, 21, 9, 30)
let nowMs = start

const vigil = await openVigilOfFile({ metrics })
vigil.setTime(nowMs)
const shop = await openCustomer(vigil)

beforeAll(async () => {
  app = await newApp(shop)
})

const newUser = (customer = shop, of = app) => newUserOf(customer, of)

const pass = (ms: number) => {
  nowMs += ms
  vigil.setTime(nowMs)
}
const begin = async (user: string, body: object = {}, customer = shop) =>
  customer.send('POST', `${user}/sessions`, body)
const idOf = ({ body }: { readonly body: Body }) => (body['session'] as Shown).id
const list = async (user: string, customer = shop): Promise<readonly Shown[]> => {
  const { status, body } = await customer.send('GET', `${user}/sessions?limit=200`)
  if (status !== 200) throw new Error(`${status}`)
  return body['sessions'] as readonly Shown[]
}
const idsIn = async (user: string) => (await list(user)).map(({ id }) => id)
const claimsOf = (token: unknown) => decodeJwt(String(token))

describe('a session', () => {
  test('is started with what is known of the device and answered with its tokens', async () => {
    const user = await newUser()
    const device = { device_model: 'iPhone 15', os_version: '17.1' }

    const { status, body } = await begin(user, {
      ...device,
      device_type: 'ios',
      country_code: 'fr',
      scopes: ['prld:pwd:write'],
    })

    const session = {
      id: expect.stringMatching(/^ses_[0-9a-z]{26}$/),
      ...device,
      device_type: 'IOS',
      country_code: 'FR',
      created_at: new Date(nowMs).toISOString(),
      last_seen_at: new Date(nowMs).toISOString(),
      expires_at: new Date(nowMs + 30 * 24 * 3_600_000).toISOString(),
    }
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        session,
        refresh_token: expect.stringMatching(/^vgr_/),
        refresh_token_expires_at: session.expires_at,
        access_token: expect.any(String),
        expires_at: nowMs / 1_000 + 600,
      },
    })
    const appId = app.split('/').at(-1)
    expect(claimsOf(body['access_token'])).toMatchObject({
      iss: `https://${appId}.session.localhost`,
      aud: appId,
      sub: user.split('/').at(-1),
      sid: (body['session'] as Shown).id,
      scope: 'prld:pwd:write',
      cc: 'FR',
      iat: nowMs / 1_000,
      exp: nowMs / 1_000 + 600,
    })
    expect(await list(user)).toEqual([body['session']])
  })

  test('needs to say nothing', async () => {
    const user = await newUser()

    const { body } = await begin(user)

    expect(body['session']).toMatchObject({
      device_type: '',
      device_model: '',
      os_version: '',
      country_code: '',
    })
    expect(claimsOf(body['access_token'])).toMatchObject({ scope: '' })
    expect(claimsOf(body['access_token'])).not.toHaveProperty('cc')
  })

  test.each([
    { device_type: 'a phone' },
    { device_model: 'x'.repeat(129) },
    { device_model: 'a\u0000b' },
    { os_version: '\u2028' },
    { country_code: 'FRA' },
    { country_code: 'F1' },
    { scopes: ['a b'] },
    { scopes: ['a', 'a'] },
    { scopes: Array.from({ length: 11 }, (_, index) => `s${index}`) },
    { device: 'IOS' },
  ])('with %j is refused', async (body) => {
    expect(await begin(await newUser(), body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    })
  })

  test('is listed page by page, also when one before the cursor has ended', async () => {
    const user = await newUser()
    const started: string[] = []
    for (let count = 0; count < 7; count += 1) {
      // of two that were seen at the same moment, too
      if (count % 2 === 0) pass(1_000)
      started.push(idOf(await begin(user)))
    }
    const page = async (query: string) => {
      const { body } = await shop.send('GET', `${user}/sessions?${query}`)
      return { ids: (body['sessions'] as Shown[]).map(({ id }) => id), next: body['next_cursor'] }
    }
    const all = await idsIn(user)

    const first = await page('limit=3')
    await shop.send('DELETE', `${user}/sessions/${first.ids[2]}`)
    const second = await page(`limit=3&cursor=${first.next}`)
    const third = await page(`limit=3&cursor=${second.next}`)

    expect([...first.ids, ...second.ids, ...third.ids]).toEqual(all)
    expect([first.ids.length, second.ids.length, third.next]).toEqual([3, 3, undefined])
    expect(all.toSorted()).toEqual(started.toSorted())
  })

  test('given one that is seen between two pages, then it is listed all the same', async () => {
    const user = await newUser()
    const started: Awaited<ReturnType<typeof newSession>>[] = []
    for (let count = 0; count < 4; count += 1) {
      pass(1_000)
      started.push(await newSession(shop, user))
    }
    const [{ refreshToken: token } = { refreshToken: '' }] = started
    const appId = app.split('/').at(-1) ?? ''
    const page = async (query: string) => {
      const { body } = await shop.send('GET', `${user}/sessions?${query}`)
      return { ids: (body['sessions'] as Shown[]).map(({ id }) => id), next: body['next_cursor'] }
    }

    const first = await page('limit=2')
    pass(1_000)
    const claims = { iat: nowMs / 1_000 }
    const seen = await refresh({ port: vigil.door.port, appId, token, key: dpopKey(), claims })
    const second = await page(`limit=2&cursor=${first.next}`)

    expect(seen.status).toBe(200)
    expect([...first.ids, ...second.ids]).toEqual(started.map(({ id }) => id).toReversed())
  })

  test('ends when its time is over', async () => {
    const of = await newApp(shop, { settings: { tokens: { refresh_seconds: 300 } } })
    const user = await newUser(shop, of)
    await begin(user)

    pass(299_999)
    const before = await list(user)
    pass(1)

    expect(before).toHaveLength(1)
    expect(await list(user)).toEqual([])
  })

  describe('lives as many days as the application says', () => {
    const days = (count: number) => count * 24 * 3_600_000
    /** A session of an application of these lifetimes, and its refresh, which may be asked again and again. */
    const begun = async (tokens: object) => {
      const of = await newApp(shop, { settings: { tokens } })
      const user = await newUser(shop, of)
      const { body } = await begin(user)
      const key = dpopKey()
      let token = String(body['refresh_token'])
      const again = async () => {
        const answer = await refresh({
          port: vigil.door.port,
          appId: of.split('/').at(-1) ?? '',
          token,
          key,
          claims: { iat: nowMs / 1_000 },
        })
        token = answer.token || token
        return {
          status: answer.status,
          code: answer.body['code'],
          expires: answer.headers['x-refresh-token-expires-at'],
        }
      }
      return { of, user, again, startedMs: nowMs, expires: body['refresh_token_expires_at'] }
    }
    const iso = (ms: number) => new Date(ms).toISOString()

    test('and no refresh token outlives that', async () => {
      const { user, again, startedMs, expires } = await begun({ session_days: 40 })
      pass(days(20))
      const second = await again()
      pass(days(19))
      const third = await again()
      pass(days(1))
      const late = await again()

      expect(expires).toBe(iso(startedMs + days(30)))
      expect([second, third]).toEqual([
        { status: 200, code: undefined, expires: iso(startedMs + days(40)) },
        { status: 200, code: undefined, expires: iso(startedMs + days(40)) },
      ])
      expect(late).toEqual({ status: 401, code: 'unauthorized', expires: undefined })
      expect(await list(user)).toEqual([])
    })

    test('from its start on, where that is less than a refresh gives', async () => {
      const { startedMs, expires } = await begun({ session_days: 1 })

      expect(expires).toBe(iso(startedMs + days(1)))
    })

    test('without end where it says 0', async () => {
      const { again } = await begun({ session_days: 0 })
      for (let refreshed = 0; refreshed < 4; refreshed += 1) {
        pass(days(29))
        expect(await again()).toMatchObject({ status: 200, expires: iso(nowMs + days(30)) })
      }
    })

    test('also when it says less than before: the session ends at its next refresh', async () => {
      const { of, user, again } = await begun({})
      pass(days(5))
      await shop.send('PUT', `${of}/settings`, { tokens: { session_days: 4 } })
      const before = await list(user)
      const late = await again()

      expect(before).toHaveLength(1)
      expect(late).toMatchObject({ status: 401, code: 'unauthorized' })
      expect(await list(user)).toEqual([])
      expect(await metrics.text()).toContain('vigil_session_refreshes_total{result="expired"} 1')
    })
  })

  test('is nobody’s but of its user: of another one it is answered as if there were none', async () => {
    const [user, neighbour] = [await newUser(), await newUser()]
    const id = idOf(await begin(user))
    const end = async (session: string) => {
      const { status, body } = await shop.send('DELETE', `${neighbour}/sessions/${session}`)
      return { status, ...body, request_id: '' }
    }

    const unknown = await end('ses_01h455vb4pex5vsknk084sn02q')

    expect(unknown.status).toBe(404)
    expect(await end(id)).toEqual(unknown)
    expect(await idsIn(user)).toEqual([id])
  })
})

describe('a user has at most a hundred sessions', () => {
  test('one more ends the one seen longest ago', async () => {
    const user = await newUser()
    const ids: string[] = []
    for (let index = 0; index < 103; index += 1) {
      pass(1)
      ids.push(idOf(await begin(user)))
    }

    expect(await idsIn(user)).toEqual(ids.slice(3).reverse())
  })
})

test('the position of a start is not before the end of the session that was one too many', async () => {
  let time = start
  const { a, customer, user } = await openTwoWithUser({ nowMs: () => time })
  const first = idOf(await begin(user, {}, customer))
  for (let more = 1; more < 100; more += 1) {
    time += 1
    await begin(user, {}, customer)
  }
  time += 1
  const { headers } = await begin(user, {}, customer)

  const events = await a.context.events.readStream(sessionStream(first), { from: 0, limit: 10 })
  expect(events.map(({ type }) => type)).toEqual(['SessionStarted', 'SessionRevoked'])
  expect(Number(headers['x-vigil-position'])).toBe(events.at(-1)?.position)
})

test('starts that come at once leave no more than a hundred, soon after', async () => {
  const user = await newUser()
  for (let round = 0; round < 6; round += 1) {
    await Promise.all(Array.from({ length: 20 }, () => begin(user)))
  }

  await begin(user)
  await begin(user)

  expect(await list(user)).toHaveLength(100)
})

describe('a scope', () => {
  test('is granted to all sessions of a user, or to one that is active', async () => {
    const [user, neighbour] = [await newUser(), await newUser()]
    const id = idOf(await begin(user))
    const foreign = idOf(await begin(neighbour))
    const grant = (body: object) => shop.send('POST', `${user}/scopes`, body)

    expect(await grant({ scope: 'prld:pwd:write' })).toMatchObject({
      status: 201,
      body: {
        scope: 'prld:pwd:write',
        granted_at: new Date(nowMs).toISOString(),
        expires_at: new Date(nowMs + 300_000).toISOString(),
      },
    })
    expect(await grant({ scope: 'a', session_id: id, seconds: 30 })).toMatchObject({
      status: 201,
      body: { session_id: id, expires_at: new Date(nowMs + 30_000).toISOString() },
    })
    expect((await grant({ scope: 'a', session_id: foreign })).status).toBe(404)
    await shop.send('DELETE', `${user}/sessions/${id}`)
    expect((await grant({ scope: 'a', session_id: id })).status).toBe(404)
    expect((await grant({ scope: 'a', seconds: 901 })).status).toBe(400)
    expect((await grant({ scope: 'a', session_id: 'ses_1' })).status).toBe(400)
  })
})

describe('on two instances', () => {
  test('starts that race the end of all sessions leave none that was let in before', async () => {
    const { a, b, customer, user } = await openTwoWithUser()
    const { token } = customer
    const on = (instance: typeof a, method: string) =>
      instance.door.request<Body>(method, `${user}/sessions`, {
        token,
        ...(method === 'POST' && { body: {} }),
      })

    const rounds = 8
    for (let round = 0; round < rounds; round += 1) {
      const [first, revoked, second] = await Promise.all([
        on(a, 'POST'),
        on(b, 'DELETE'),
        on(b, 'POST'),
      ])

      expect(revoked.status).toBe(204)
      // whoever was told of a session has one of after the end, or of before it and then it is over
      for (const { status } of [first, second]) expect([201, 409]).toContain(status)
      const told = [first, second].flatMap((one) => (one.status === 201 ? [idOf(one)] : []))
      const { sessions } = (await on(a, 'GET')).body as { sessions: Shown[] }
      expect(sessions.filter(({ id }) => !told.includes(id))).toEqual([])
    }
    await on(a, 'DELETE')
    for (const instance of [a, b]) {
      expect((await on(instance, 'GET')).body).toEqual({ sessions: [] })
    }
  })

  test('a user who is deleted on one cannot begin on the other', async () => {
    const { a, b, customer, user } = await openTwoWithUser({ deaf: true })
    const on = (instance: typeof a, method: string, body?: object) =>
      sendAs(instance, customer.token)(method, `${user}${body ? '/sessions' : ''}`, body)

    expect((await on(b, 'POST', {})).status).toBe(201)
    expect((await on(a, 'DELETE')).status).toBe(204)

    expect((await on(b, 'POST', {})).status).toBe(404)
  })

  test('what a session is used from stands nowhere in clear, and is forgotten with the user', async () => {
    const { a, customer, user } = await openTwoWithUser()
    const { body } = await begin(user, { device_model: 'Ann’s iPhone' }, customer)
    const stream = sessionStream((body['session'] as Shown).id)

    const before = await a.context.events.readStream(stream, { from: 0, limit: 10 })
    await customer.send('DELETE', user)

    const key = /"key":"([^"]+)"/.exec(before[0]?.data ?? '')?.[1] ?? ''
    expect(JSON.stringify(before)).not.toContain('iPhone')
    await eventually(async () => (await a.keyring.keys([key])).get(key) === 'destroyed')
  })
})
