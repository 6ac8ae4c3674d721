import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { decodeJwt } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { migrateSessionRates } from '../../src/http/sessions/migrateSessionRoute.ts'
import { openMetrics } from '../../src/metrics/openMetrics.ts'
import { dpopKey } from '../support/dpopKey.ts'
import { type LegacyShop, openLegacyShop } from '../support/legacyShop.ts'
import { type Customer, openCustomer, openVigil, sendAs, type Vigil } from '../support/openVigil.ts'
import { refresh } from '../support/refreshing.ts'
import { newApp } from '../support/startSession.ts'

const metrics = openMetrics()
let legacy: LegacyShop
let vigil: Vigil
let shop: Customer
let appId: string
let now = 0
let addresses: readonly string[] = ['127.0.0.1']

beforeAll(async () => {
  legacy = await openLegacyShop()
  vigil = await openVigil({
    metrics,
    nowMs: () => now,
    privateMigrationHosts: 'localhost',
    outside: { certificates: legacy.certificates, findAddresses: async () => addresses },
  })
  shop = await openCustomer(vigil)
})

afterAll(async () => {
  await vigil.close()
  await legacy.close()
})

// every test has an application of its own, of which nothing is known
beforeEach(async () => {
  appId = (await newApp(shop)).slice(-7)
  await configure(legacy.url)
  legacy.serve(vigil, appId)
})

afterEach(() => {
  legacy.answering = undefined
  addresses = ['127.0.0.1']
})

const configure = (session_validation_url: string) =>
  shop.send('PUT', `/v2/session/apps/${appId}/config/migration`, { session_validation_url })

const migrate = (token: string) =>
  vigil.door.request('POST', '/v1/session/migration', {
    headers: { host: `${appId}.session.localhost` },
    body: { token },
  })

const ann = [
  { type: 'customer_user_id', value: 'ann' },
  { type: 'email_address', value: 'Ann@Example.com' },
]

const usersOf = async (): Promise<readonly Record<string, unknown>[]> => {
  const { body } = await shop.send('GET', `/v2/session/apps/${appId}/users`)
  return body['users'] as readonly Record<string, unknown>[]
}

const claimsOf = (text: unknown) => decodeJwt(String(text))

test('a session that is valid goes on, and the user is created from what the customer says', async () => {
  legacy.sessions.set('old', {
    identifiers: ann,
    device: { device_type: 'ios', country_code: 'fr' },
  })

  const started = await migrate('old')

  expect(started.status).toBe(200)
  expect(Object.keys(started.body).sort()).toEqual(['access_token', 'expires_at'])
  const [user] = await usersOf()
  expect(user?.['identifiers']).toEqual([
    ann[0],
    { type: 'email_address', value: 'ann@example.com' },
  ])
  const listed = await sendAs(vigil, String(started.body['access_token']))(
    'GET',
    '/v1/session/me/list',
    undefined,
    { host: `${appId}.session.localhost` },
  )
  expect(listed.body['sessions']).toMatchObject([{ device_type: 'IOS', country_code: 'FR' }])
  expect(claimsOf(started.body['access_token']).sub).toBe(user?.['id'])
})

test('its refresh token is bound to a key by the first refresh', async () => {
  legacy.sessions.set('old', { identifiers: ann })
  const { headers } = await migrate('old')
  const asked = { port: vigil.door.port, appId, key: dpopKey() }

  const refreshed = await refresh({ ...asked, token: String(headers['x-refresh-token']) })
  const stolen = await refresh({ ...asked, token: refreshed.token, key: dpopKey() })

  expect(Date.parse(String(headers['x-refresh-token-expires-at']))).toBeGreaterThan(Date.now())
  expect(refreshed.status).toBe(200)
  expect(stolen.body).toMatchObject({
    code: 'dpop_key_mismatch',
    message: 'The session is bound to the key of another proof.',
  })
})

test('the customer can tell by the published keys that it is Vigil, and what it asks', async () => {
  await migrate('old')

  const { authorization, body } = legacy.last()
  const token = authorization.slice('Bearer '.length)
  expect(JSON.parse(body)).toEqual({ token: 'old', app_id: appId })
  const claims = claimsOf(token)
  expect(claims).toMatchObject({
    iss: `https://${appId}.session.localhost`,
    aud: legacy.url,
    body_sha256: createHash('sha256').update(body).digest('base64url'),
  })
  expect(Number(claims.exp) - Number(claims.iat)).toBe(60)
  // it is good for nothing else
  const asAccess = await sendAs(vigil, token)('GET', '/v1/session/me/list', undefined, {
    host: `${appId}.session.localhost`,
  })
  expect(asAccess.status).toBe(401)
})

test('a question that another application asks is not answered', async () => {
  legacy.sessions.set('old', { identifiers: ann })
  legacy.serve(vigil, (await newApp(shop)).slice(-7))

  expect((await migrate('old')).status).toBe(502)
})

interface Identifier {
  readonly type: string
  readonly value: string
}

const named = (value: string): Identifier => ({ type: 'customer_user_id', value })
const number = { type: 'phone_number', value: '+33612345678' }
const mail = { type: 'email_address', value: 'two@example.com' }
const usersPath = () => `/v2/session/apps/${appId}/users`
const create = async (...identifiers: readonly Identifier[]) =>
  String((await shop.send('POST', usersPath(), { identifiers })).body['id'])
/** A session of whom the customer says to be known by these. */
const migrateAs = (...identifiers: readonly Identifier[]) => {
  legacy.sessions.set(JSON.stringify(identifiers), { identifiers })
  return migrate(JSON.stringify(identifiers))
}
const subjectOf = ({ body }: { body: Record<string, unknown> }) =>
  claimsOf(body['access_token']).sub
const isConflict = { status: 409, body: { code: 'conflict' } }

describe('the user', () => {
  test('is one, however often and at however many places at once they migrate', async () => {
    const started = await Promise.all([1, 2, 3].map(() => migrateAs(...ann)))

    expect(started.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await usersOf()).toHaveLength(1)
    // none of them can be ended by another's refresh
    expect(new Set(started.map(({ headers }) => headers['x-refresh-token'])).size).toBe(3)
  })

  test('is whom customer_user_id names, and else whom the others name together', async () => {
    const [one, two] = [await create(named('one')), await create(mail)]
    await create(number)

    expect(subjectOf(await migrateAs(mail, named('one')))).toBe(one)
    expect(subjectOf(await migrateAs(mail, named('x')))).toBe(two)
    expect(await migrateAs(mail, number)).toMatchObject(isConflict)
    expect(await usersOf()).toHaveLength(3)
  })
})

test('a number that has gone to somebody else opens nothing of whoever had it before', async () => {
  const first = await create(named('42'), number)

  const refused = await migrateAs(named('77'), number)
  const taken = [await migrateAs(named('42'), number), await migrateAs(number)]

  expect(refused).toMatchObject(isConflict)
  expect(refused.headers['retry-after']).toBeUndefined()
  expect(taken.map(subjectOf)).toEqual([first, first])
  expect(await usersOf()).toHaveLength(1)
})

describe('a user who was created without a customer_user_id', () => {
  test('is given the one that is named first, and opened to no other from then on', async () => {
    const userId = await create(number)

    const first = await migrateAs(named('2'), number)
    const successor = await migrateAs(named('3'), number)
    const again = [await migrateAs(number, named('2')), await migrateAs(named('2'))]

    expect([first, ...again].map(subjectOf)).toEqual([userId, userId, userId])
    expect(successor).toMatchObject(isConflict)
    expect(successor.headers['retry-after']).toBeUndefined()
    const found = await shop.send('GET', `${usersPath()}?type=customer_user_id&value=2`)
    expect(found.body['users']).toMatchObject([{ id: userId, identifiers: [number] }])
    expect(await usersOf()).toHaveLength(1)
    const taken = await shop.send('POST', usersPath(), { identifiers: [named('2')] })
    expect(taken.body['code']).toBe('identifier_already_exists')
  })

  test('leaves the name to others when deleted', async () => {
    const userId = await create(number)
    await migrateAs(named('2'), number)

    await shop.send('DELETE', `${usersPath()}/${userId}`)

    expect(await create(named('2'), number)).toMatch(/^usr_/)
  })
})

describe('several customer_user_ids in one answer', () => {
  const [a, b, unknown] = [named('a'), named('b'), named('unknown')]

  test('of two users open neither, in whichever order', async () => {
    await create(a)
    await create(b)

    for (const names of [
      [a, b],
      [b, a],
      [a, unknown],
      [unknown, a],
    ]) {
      expect(await migrateAs(...names)).toMatchObject(isConflict)
    }
    expect(await usersOf()).toHaveLength(2)
  })

  test('of one user open that one', async () => {
    const user = await create(a, b)

    expect([await migrateAs(a, b), await migrateAs(b)].map(subjectOf)).toEqual([user, user])
  })

  test('that nobody has give no name to whom a number leads', async () => {
    await create(number)

    expect(await migrateAs(a, b, number)).toMatchObject(isConflict)
  })
})

describe('what is refused', () => {
  test('a session that is not valid', async () => {
    expect(await migrate('unknown')).toMatchObject({
      status: 401,
      body: { code: 'unauthorized', type: 'unauthorized' },
    })
    expect(await usersOf()).toEqual([])
  })

  test('every one, without a question, while no URL is set', async () => {
    await shop.send('DELETE', `/v2/session/apps/${appId}/config/migration`)
    const before = legacy.asked()

    expect(await migrate('old')).toMatchObject({
      status: 403,
      body: { code: 'not_configured', type: 'forbidden' },
    })
    expect(legacy.asked()).toBe(before)
  })

  test('one token more than a few times, and others still pass', async () => {
    now += 3_600_000
    for (let time = 0; time < migrateSessionRates.token.burst; time += 1) {
      expect((await migrate('again')).status).toBe(401)
    }

    const more = await migrate('again')

    expect(more).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(Number(more.headers['retry-after'])).toBeGreaterThan(0)
    expect((await migrate('another')).status).toBe(401)
  })

  test('one address more than some times', async () => {
    now += 3_600_000
    const statuses: number[] = []
    for (let time = 0; time <= migrateSessionRates.address.burst; time += 1) {
      statuses.push((await migrate(`token ${time}`)).status)
    }
    now += 3_600_000

    expect(statuses.filter((status) => status === 429)).toHaveLength(1)
    expect(statuses.at(-1)).toBe(429)
  })
})

describe('an answer that the contract does not know is a failure of theirs', () => {
  const saying =
    (text: string, status = 200) =>
    (response: ServerResponse) =>
      response.writeHead(status, { location: legacy.url }).end(text)
  const valid = (more: object) => JSON.stringify({ valid: true, identifiers: ann, ...more })
  const known = (type: string, value: unknown) => saying(valid({ identifiers: [{ type, value }] }))

  test.each([
    ['a redirect', saying('', 307)],
    ['an error', saying('{"valid": true}', 500)],
    ['another success', saying(valid({}), 201)],
    ['null', saying('null')],
    ['a text for valid', saying(valid({ valid: 'true' }))],
    ['no identifiers', saying('{"valid": true}')],
    ['none of them', saying(valid({ identifiers: [] }))],
    ['too many', saying(valid({ identifiers: Array.from({ length: 11 }, () => ann[0]) }))],
    ['an object for the list', saying(valid({ identifiers: { length: 1 } }))],
    ['a number that is none', known('phone_number', '12')],
    ['an address of two', known('email_address', 'a@example.com, b@example.com')],
    ['256 characters', known('customer_user_id', 'x'.repeat(256))],
    ['a NUL', known('customer_user_id', 'a\0b')],
    ['text that runs backwards', known('customer_user_id', 'a\u202eb')],
    ['half a surrogate pair', known('customer_user_id', 'a\ud800b')],
    ['a number for a text', known('customer_user_id', 7)],
    ['a type of capitals', known('Constructor', 'x')],
    ['a type that every object has', known('__proto__', 'x')],
    ['a list for the device', saying(valid({ device: [] }))],
    ['a device of unseen characters', saying(valid({ device: { device_model: 'a\u0000b' } }))],
    ['a long device', saying(valid({ device: { os_version: 'x'.repeat(129) } }))],
  ])('%s', async (_, answer) => {
    now += 3_600_000
    legacy.answering = (_request, response) => {
      answer(response)
    }
    const before = legacy.asked()

    const failed = await migrate('the-legacy-token')

    expect(failed).toMatchObject({ status: 502, body: { code: 'session_validation_failed' } })
    expect(failed.text).not.toContain('the-legacy-token')
    expect(legacy.asked()).toBe(before + 1)
    expect(await usersOf()).toEqual([])
  })
})

test.each(['constructor', 'valueof', 'hasownproperty'])('%s is a type as any', async (type) => {
  now += 3_600_000
  const identifiers = [{ type, value: 'x' }]
  const said = JSON.stringify({ valid: true, identifiers })
  legacy.answering = (_, response) => {
    response.end(said.replace('{', '{"__proto__":{"valid":false},"device":{"__proto__":{}},'))
  }

  expect((await migrate('old')).status).toBe(200)
  expect(await usersOf()).toMatchObject([{ identifiers }])
})

/** How many migrations were answered without asking the customer. */
const pausedOf = async () =>
  Number(
    /^vigil_session_migrations_total\{result="paused"\} (\d+)$/m.exec(await metrics.text())?.[1] ??
      0,
  )

test('a customer who fails again and again is left alone, and asked once after a pause', async () => {
  const startMs = Date.now()
  const at = (seconds: number) => vigil.setTime(startMs + seconds * 1_000)
  now += 3_600_000
  at(0)
  legacy.sessions.set('old', { identifiers: ann })
  legacy.answering = (_, response) => {
    response.writeHead(500).end()
  }
  for (let time = 0; time < 5; time += 1) {
    expect((await migrate(`${time}`)).status).toBe(502)
  }
  const before = legacy.asked()
  const pausedBefore = await pausedOf()

  const paused = await migrate('paused')
  expect(paused).toMatchObject({ status: 502, body: { code: 'session_validation_failed' } })
  expect(paused.headers['retry-after']).toBe('5')
  at(6)
  expect((await migrate('asked')).status).toBe(502)
  expect((await migrate('paused again')).headers['retry-after']).toBe('10')
  expect(legacy.asked()).toBe(before + 1)

  at(20)
  legacy.answering = undefined
  expect((await migrate('unknown')).status).toBe(401)
  expect((await migrate('old')).status).toBe(200)
  expect((await migrate('unknown')).status).toBe(401)
  expect((await pausedOf()) - pausedBefore).toBe(2)
})

describe('users whose sessions a customer cannot tell of', () => {
  const failing = (status: number, text: string) => async () => {
    legacy.answering = (_, response) => {
      response.writeHead(status).end(text)
    }
    for (let time = 0; time < 6; time += 1) {
      expect((await migrate(`${time}`)).status).toBe(502)
    }
    legacy.answering = undefined
  }

  test.each([
    ['an answer of another form', 200, '{"valid": true, "identifiers": [null]}'],
    ['one that is too long', 200, ' '.repeat(64 * 1_024 + 1)],
    ['a client error', 422, ''],
    ['a redirect', 302, ''],
  ])('with %s keep nobody else out', async (_, status, text) => {
    now += 3_600_000
    legacy.sessions.set('old', { identifiers: ann })

    await failing(status, text)()

    expect((await migrate('old')).status).toBe(200)
  })

  test.each([408, 429, 503])('since it is overloaded (%s) wait', async (status) => {
    now += 3_600_000

    await failing(status, ' '.repeat(64 * 1_024 + 1))()

    expect((await migrate('old')).headers['retry-after']).toBeDefined()
  })
})

test('the guide shows the example that these tests run', () => {
  const example = readFileSync('docs/guide/examples/validateSessions.mjs', 'utf8')

  expect(readFileSync('docs/guide/session-migration.md', 'utf8')).toContain(example)
})
