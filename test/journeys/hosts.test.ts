import { Agent } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import { listRoutes } from '../../src/http/routes.ts'
import { exchange } from '../http/support/exchange.ts'
import { openDoor } from '../http/support/openDoor.ts'
import { sendRequest } from '../http/support/sendRequest.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { type Customer, openCustomer, openVigil, type Vigil } from '../support/openVigil.ts'

const jwks = '/.well-known/jwks.json'
const shopHost = 'corner1.session.localhost'
const agent = new Agent({ keepAlive: true })

let vigil: Vigil
let shop: Customer

beforeAll(async () => {
  vigil = await openVigil()
  shop = await openCustomer(vigil)
  const settings = { allowed_origins: ['https://shop.example'] }
  await shop.send('POST', '/v2/session/apps', { name: 'Shop', app_id: 'corner1', settings })
  await shop.send('POST', '/v2/session/apps', { name: 'Other', app_id: 'other01' })
})

afterAll(async () => {
  agent.destroy()
  await vigil.close()
})

const ask = (
  host: string,
  path: string,
  { method = 'GET', port = vigil.door.port, headers = {} as Record<string, string> } = {},
) =>
  sendRequest<Record<string, unknown>>(
    { port, agent, method, path },
    { headers: { host, ...headers } },
  )

describe('the host of an application', () => {
  test('serves its own keys, to be kept by anyone', async () => {
    const keys = await shop.send('GET', '/v2/session/apps/corner1/signing-keys')
    const listed = keys.body['signing_keys'] as readonly { kid: string; public_key: string }[]

    const { status, headers, body } = await ask(shopHost, jwks)
    const other = await ask('other01.session.localhost', jwks)

    expect(status).toBe(200)
    expect(headers['cache-control']).toBe('public, max-age=300')
    const common = { kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA' }
    expect(body).toEqual({
      keys: listed.map(({ kid, public_key }) => ({ ...common, kid, x: public_key })),
    })
    expect(other.body).not.toEqual(body)
  })

  test('has a new key at once, and none that is retired', async () => {
    const kids = async () =>
      ((await ask('other01.session.localhost', jwks)).body['keys'] as { kid: string }[]).map(
        ({ kid }) => kid,
      )
    const keys = '/v2/session/apps/other01/signing-keys'
    const [first] = await kids()
    const { body } = await shop.send('POST', keys)
    const both = await kids()
    await shop.send('DELETE', `${keys}/${first}`)

    expect(both).toEqual([first, body['kid']])
    expect(await kids()).toEqual([body['kid']])
  })

  test('has a description of its own', async () => {
    const session = await ask(shopHost, '/openapi.json')
    const main = await vigil.door.request('GET', '/openapi.json')

    const paths = Object.keys(Object(session.body['paths']))
    expect(paths).toEqual(expect.arrayContaining([jwks, '/openapi.json']))
    expect(paths.filter((path) => path.startsWith('/v2/'))).toEqual([])
    expect(session.body['info']).toMatchObject({ title: 'Vigil Session API' })
    expect(Object.keys(Object(main.body['paths']))).not.toContain(jwks)
  })

  test.each([
    'corner1.session.localhost:8080',
    'CORNER1.Session.LocalHost',
    'corner1.session.localhost.',
  ])('is found as %s', async (host) => {
    expect((await ask(host, jwks)).status).toBe(200)
  })

  test.each([
    ...['/health/live', '/health/ready', '/metrics', '/v2/watch/eval', '/v2/session/apps', '/'],
  ])('does not serve %s', async (path) => {
    const { status, body } = await ask(shopHost, path, {
      headers: { authorization: `Bearer ${shop.token}` },
    })

    expect({ status, body }).toEqual({
      status: 404,
      body: { code: 'not_found', type: 'not_found', message: 'There is nothing at this path.' },
    })
  })
})

describe('a host of no application', () => {
  test.each([
    '0000000.session.localhost',
    'x.session.localhost',
    'a.corner1.session.localhost',
    '.session.localhost',
    'corner1%00.session.localhost',
  ])('%s has nothing, whatever is asked', async (host) => {
    const paths = [jwks, '/openapi.json', '/health/live', '/v2/watch/eval', '/']
    const received = await Promise.all(paths.map((path) => ask(host, path)))

    expect(new Set(received.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set([
        '404 {"code":"not_found","type":"not_found","message":"There is nothing at this address."}',
      ]),
    )
  })

  test('is that of one that is retired', async () => {
    await shop.send('POST', '/v2/session/apps', { name: 'Old', app_id: 'oldapp1' })
    const before = await ask('oldapp1.session.localhost', jwks)
    await shop.send('DELETE', '/v2/session/apps/oldapp1')

    expect([before.status, (await ask('oldapp1.session.localhost', jwks)).status]).toEqual([
      200, 404,
    ])
  })
})

test.each([
  ...['localhost', 'session.localhost', 'corner1.session.localhost.example.com', 'corner1'],
  ...['corner1.session.localhost..', 'corner1.session.localhost:80:80', '[::1]:8080'],
  ...['[::ffff:127.0.0.1]', '127.0.0.1', 'xsession.localhost'],
])('every other host is the main one, which serves nothing of theirs: %s', async (host) => {
  expect((await ask(host, jwks)).status).toBe(404)
  expect((await ask(host, '/health/live')).status).toBe(200)
})

const raw = (target: string, ...hosts: readonly string[]) =>
  exchange(
    vigil.door.port,
    `GET ${target} HTTP/1.1\r\n${hosts.map((host) => `Host: ${host}\r\n`).join('')}Connection: close\r\n\r\n`,
  )

describe('a target in absolute form', () => {
  test.each([
    [`http://${shopHost}${jwks}`, 'main.example', 200],
    [`HTTP://CORNER1.session.localhost:80${jwks}`, 'main.example', 200],
    [`http://main.example${jwks}`, shopHost, 404],
    [`http://main.example/health/live`, shopHost, 200],
    [`http://${shopHost}/health/live`, 'main.example', 404],
    [`http://${shopHost}@main.example/health/live`, shopHost, 200],
    [`http://main.example@${shopHost}${jwks}`, shopHost, 404],
    [`http://${shopHost}`, 'main.example', 404],
  ])('names the host, whatever Host says: %s', async (target, host, status) => {
    expect(await raw(target, host)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })
})

test.each([
  [shopHost, shopHost],
  [shopHost, 'main.example'],
  ['main.example', shopHost],
])('two Host headers are refused: %s, %s', async (...hosts) => {
  expect(await raw(jwks, ...hosts)).toMatch(/^HTTP\/1.1 400 /)
})

describe('X-Forwarded-Host', () => {
  const forwarded = (hosts: string, port?: number) =>
    ask('main.example', jwks, {
      headers: { 'x-forwarded-host': hosts },
      ...(port !== undefined && { port }),
    })

  test('says nothing without a trusted proxy', async () => {
    expect((await forwarded(shopHost)).status).toBe(404)
    const own = await ask(shopHost, jwks, { headers: { 'x-forwarded-host': 'main.example' } })
    expect(own.status).toBe(200)
  })

  test.each([
    [1, shopHost, 200],
    [1, `main.example, ${shopHost}`, 200],
    [1, `${shopHost}, main.example`, 404],
    [2, `${shopHost}, inner.example`, 200],
    [2, `${shopHost}, main.example, inner.example`, 404],
  ])('behind %i proxies %s is answered %i', async (trustedProxies, hosts, status) => {
    const door = await openDoor(vigil.service, { trustedProxies })
    const received = await forwarded(hosts, door.port)
    await door.close()

    expect(received.status).toBe(status)
  })

  test.each([
    ['other01.session.localhost', 400],
    ['main.example', 400],
    [shopHost, 200],
    [`${shopHost.toUpperCase()}:443`, 200],
  ])('that disagrees with the host of an application is refused: %s', async (host, status) => {
    const door = await openDoor(vigil.service, { trustedProxies: 1 })
    const headers = { 'x-forwarded-host': host }
    const received = await ask(shopHost, jwks, { port: door.port, headers })
    await door.close()

    expect(received.status).toBe(status)
  })
})

describe('pages', () => {
  const from = (origin: string, host = shopHost, more = {}) =>
    ask(host, jwks, { headers: { origin }, ...more })

  test('of an allowed origin may ask with credentials', async () => {
    const { headers } = await from('https://shop.example')
    const ahead = await ask(shopHost, jwks, {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'GET' },
    })

    expect(headers).toMatchObject({
      'access-control-allow-origin': 'https://shop.example',
      'access-control-allow-credentials': 'true',
      vary: 'Origin',
    })
    expect(ahead.status).toBe(204)
    // what the scripts of js-sdk send and read
    const lists = (name: string) => String(ahead.headers[name]).toLowerCase().split(', ')
    expect(lists('access-control-allow-headers')).toEqual(
      expect.arrayContaining([
        ...['authorization', 'content-type', 'dpop', 'x-refresh-token', 'x-sdk-user-agent'],
      ]),
    )
    expect(lists('access-control-expose-headers')).toEqual(
      expect.arrayContaining([
        ...['date', 'dpop-nonce', 'retry-after', 'x-refresh-token', 'x-refresh-token-expires-at'],
      ]),
    )
  })

  test('of an allowed origin can read a refusal from before their application was looked for', async () => {
    const { a, b, ageB } = await openTwoInstances({ deaf: true })
    const customer = await openCustomer(a)
    const settings = { allowed_origins: ['https://shop.example'] }
    await customer.send('POST', '/v2/session/apps', { name: 'Shop', app_id: 'corner1', settings })
    await customer.send('POST', '/v2/session/apps', { name: 'Other', app_id: 'other01', settings })
    const { port } = b.door
    const asked = (host: string, origin: string) =>
      ask(host, jwks, { port, headers: { origin, 'access-control-request-method': 'GET' } })
    const held = await asked(shopHost, 'https://shop.example')
    ageB(60_000)
    Object.assign(b.context.events, {
      readNewEvents: () => {
        const away = 'The log is away.'
        return Promise.reject(new Failure('unavailable', away, { retryAfterSeconds: 3 }))
      },
    })

    const refused = await asked(shopHost, 'https://shop.example')
    const others = [
      await asked(shopHost, 'https://evil.example'),
      await asked('other01.session.localhost', 'https://shop.example'),
    ]

    expect([held, refused, ...others].map(({ status }) => status)).toEqual([200, 503, 503, 503])
    expect(refused.headers).toMatchObject({
      'retry-after': '3',
      'access-control-allow-origin': 'https://shop.example',
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': expect.stringContaining('Retry-After'),
      vary: 'Origin',
    })
    for (const { headers } of others) {
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
      expect(headers['vary']).toBe('Origin')
    }
  })

  test('of an origin that is allowed no more get no leave, though it is held', async () => {
    const { a, b, ageB } = await openTwoInstances({ deaf: true })
    const customer = await openCustomer(a)
    const settings = { allowed_origins: ['https://shop.example'] }
    await customer.send('POST', '/v2/session/apps', { name: 'Shop', app_id: 'corner1', settings })
    const asked = { port: b.door.port, headers: { origin: 'https://shop.example' } }
    const held = await ask(shopHost, jwks, asked)
    await customer.send('PUT', '/v2/session/apps/corner1/settings', { allowed_origins: [] })
    ageB(60_000)

    const later = await ask(shopHost, jwks, asked)

    expect([held.status, later.status]).toEqual([200, 200])
    expect(held.headers['access-control-allow-origin']).toBe('https://shop.example')
    expect(later.headers['access-control-allow-origin']).toBeUndefined()
    expect(later.headers['access-control-allow-credentials']).toBeUndefined()
  })

  test.each([
    ['https://evil.example', shopHost],
    ['null', shopHost],
    ['https://shop.example.evil.example', shopHost],
    ['http://shop.example', shopHost],
    ['https://shop.example:8443', shopHost],
    ['https://shop.example', 'other01.session.localhost'],
    ['https://shop.example', '0000000.session.localhost'],
  ])('of %s get no leave from %s', async (origin, host) => {
    const plain = await from(origin, host)
    const ahead = await ask(host, jwks, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'GET' },
    })

    for (const { headers } of [plain, ahead]) {
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })

  test('of a foreign origin get no leave from any route, whatever they bring', async () => {
    const routes = listRoutes().filter(({ host }) => host === 'session')
    const headers = {
      origin: 'https://evil.example',
      cookie: '__refresh_corner1=x',
      authorization: 'Bearer x',
    }

    for (const { method, path } of routes) {
      const plain = await ask(shopHost, path, { method, headers })
      const ahead = await ask(shopHost, path, {
        method: 'OPTIONS',
        headers: { ...headers, 'access-control-request-method': method },
      })
      const named = [plain, ahead].flatMap((one) => Object.keys(one.headers))
      expect(named.filter((name) => name.startsWith('access-control'))).toEqual([])
    }
    expect(routes.length).toBeGreaterThan(6)
  })
})
