/** The session of the console: a cookie in the place of a token, for pages of the console alone. */

import { Agent } from 'node:http'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer, operatorToken, sendAs } from '../support/openVigil.ts'
import { type Sent, sendRequest } from './support/sendRequest.ts'

const noon = Date.UTC(2026, 10, 21, 12)
const hourMs = 3_600_000
const vigil = await openVigilOfFile()
let shop: Customer

beforeEach(async () => {
  vigil.setTime(noon)
  shop = await openCustomer(vigil)
})

const agent = new Agent({ keepAlive: true })
afterAll(() => agent.destroy())

/** Past the check against the description, which has no word of the console. */
const request = (method: string, path: string, sent: Sent = {}) =>
  sendRequest<Record<string, unknown>>({ port: vigil.door.port, agent, method, path }, sent)

const own = () => `http://127.0.0.1:${vigil.door.port}`
const host = () => ({ host: `127.0.0.1:${vigil.door.port}` })

const signIn = (token: string, headers: Record<string, string> = { origin: own() }) =>
  request('POST', '/console/session', { token, headers: { ...host(), ...headers } })

/** The cookie as a browser sends it back. */
async function cookieOf(token: string): Promise<string> {
  const { headers } = await signIn(token)
  return String(headers['set-cookie']?.[0]).split(';')[0] ?? ''
}

/** Headers, and a body as JSON. */
type Asked = Readonly<Record<string, string>> & { readonly body?: string }

const ask = (method: string, path: string, { body, ...headers }: Asked) =>
  request(method, `/console/api${path}`, {
    headers: { ...host(), ...headers },
    ...(body && { body: JSON.parse(body) }),
  })

describe('signing in', () => {
  test('a token is exchanged for a cookie that no script and no other site can use, and that does not show it', async () => {
    const { status, headers, body } = await signIn(shop.token)

    const cookie = String(headers['set-cookie']?.[0])
    expect(status).toBe(200)
    expect(body).toMatchObject({
      kind: 'account',
      account_id: shop.accountId,
      token_id: shop.tokenId,
    })
    expect(cookie).toMatch(
      /^vigil_console_\d+=[\w-]{80,}; Path=\/console\/api; Max-Age=28800; HttpOnly; SameSite=Strict$/,
    )
    const sealed = Buffer.from(cookie.split('=')[1]?.split(';')[0] ?? '', 'base64url')
    expect(sealed.toString('latin1')).not.toContain(shop.token.slice(-20))
  })

  test('behind TLS the cookie is sent nowhere else, also where the proxy does not say so', async () => {
    const { headers } = await signIn(shop.token, {
      origin: 'https://vigil.example',
      host: 'vigil.example',
    })

    expect(headers['set-cookie']?.[0]).toMatch(/^vigil_console_default=.*; Secure$/)
  })

  test('a wrong token gets no cookie', async () => {
    const { status, headers } = await signIn('vgl_wrong')

    expect(status).toBe(401)
    expect(headers['set-cookie']).toBeUndefined()
  })

  test.each([
    ['another site', { origin: 'https://evil.example' }],
    ['no page', {}],
    ['a page without an origin', { origin: 'null' }],
  ])('%s cannot sign anybody in, and is told what was compared', async (_, headers) => {
    const { status, body, headers: answered } = await signIn(shop.token, headers)

    expect(status).toBe(403)
    expect(body).toMatchObject({
      code: 'origin_not_allowed',
      message: expect.stringContaining('Host: 127.0.0.1'),
    })
    expect(answered['set-cookie']).toBeUndefined()
  })

  test('the operator can sign in', async () => {
    expect((await signIn(operatorToken)).body).toEqual({ kind: 'operator', scopes: [] })
  })

  test('signing out removes the cookie', async () => {
    const { status, headers } = await request('DELETE', '/console/session', {
      headers: { ...host(), origin: own() },
    })

    expect(status).toBe(204)
    expect(headers['set-cookie']?.[0]).toMatch(
      /^vigil_console_\d+=; Path=\/console\/api; Max-Age=0/,
    )
  })

  test('any other method is refused with those that there are', async () => {
    const { status, headers } = await request('GET', '/console/session')

    expect([status, headers['allow']]).toEqual([405, 'POST, DELETE'])
  })
})

describe('a request of the console', () => {
  test('is answered as the same request with the token', async () => {
    await shop.rule('1 == 1')
    const cookie = await cookieOf(shop.token)

    const { status, body } = await ask('GET', '/v2/watch/management/rules', { cookie })

    expect(status).toBe(200)
    expect(body).toEqual((await shop.send('GET', '/v2/watch/management/rules')).body)
  })

  test('has the rights of that token alone, whatever token stands beside the cookie', async () => {
    const cookie = await cookieOf(await shop.tokenWith(['eval']))
    const authorization = `Bearer ${shop.token}`

    const { status } = await ask('GET', '/v2/watch/management/rules', { cookie, authorization })

    expect(status).toBe(403)
  })

  test('changes something only from a page of the console', async () => {
    const cookie = await cookieOf(shop.token)
    const rule = { name: 'Always', expression: '1 == 1' }
    const write = (headers: Record<string, string>) =>
      ask('POST', '/v2/watch/management/rules', { cookie, ...headers, body: JSON.stringify(rule) })

    expect((await write({ origin: own() })).status).toBe(201)
    expect((await write({ origin: 'http://evil.example' })).status).toBe(403)
    expect((await write({ origin: `${own()}.evil.example` })).status).toBe(403)
    expect((await write({})).status).toBe(403)
    const { body } = await shop.send('GET', '/v2/watch/management/rules')
    expect(body['rules']).toHaveLength(1)
  })

  test('of a page below the same domain reads nothing either', async () => {
    const cookie = await cookieOf(shop.token)

    const { status } = await ask('GET', '/v2/whoami', { cookie, 'sec-fetch-site': 'same-site' })

    expect(status).toBe(403)
  })

  test.each([
    ['no cookie', () => ''],
    [
      'a changed cookie',
      (cookie: string) =>
        cookie.replace(/(.{20})(.)/, (_, first, one) => first + (one === 'A' ? 'B' : 'A')),
    ],
    ['a cut cookie', (cookie: string) => cookie.slice(0, 60)],
    ['the token itself', (cookie: string) => `${cookie.split('=')[0]}=${shop.token}`],
    ['the cookie of another port', (cookie: string) => cookie.replace(/_\d+=/, '_1=')],
  ])('with %s is not let in', async (_, change) => {
    const cookie = change(await cookieOf(shop.token))

    const { status, body } = await ask('GET', '/v2/whoami', { cookie })

    expect([status, body['code']]).toEqual([401, 'missing_api_token'])
  })

  test('is refused once the token is revoked', async () => {
    const cookie = await cookieOf(shop.token)
    await sendAs(vigil, operatorToken)(
      'DELETE',
      `/v2/operator/accounts/${shop.accountId}/tokens/${shop.tokenId}`,
    )

    expect((await ask('GET', '/v2/whoami', { cookie })).status).toBe(401)
  })

  test('is refused after eight hours', async () => {
    const cookie = await cookieOf(shop.token)

    vigil.setTime(noon + 8 * hourMs - 1)
    expect((await ask('GET', '/v2/whoami', { cookie })).status).toBe(200)
    vigil.setTime(noon + 8 * hourMs)
    expect((await ask('GET', '/v2/whoami', { cookie })).status).toBe(401)
  })

  test('the cookie opens nothing but what is below the console', async () => {
    const cookie = await cookieOf(shop.token)

    const { status } = await vigil.door.request('GET', '/v2/whoami', { headers: { cookie } })

    expect(status).toBe(401)
  })
})

describe('what a token is', () => {
  const whoami = (token: string) => vigil.door.request('GET', '/v2/whoami', { token })

  test('is told to every token, also one without the scope of anything else', async () => {
    const { body } = await whoami(await shop.tokenWith(['feedback']))

    expect(body).toMatchObject({
      kind: 'account',
      account_id: shop.accountId,
      account_name: 'Shop',
      scopes: ['feedback'],
      authoring: true,
      management: true,
    })
  })

  test('is told with its name and its end', async () => {
    const expires_at = new Date(noon + hourMs).toISOString()
    const { body: issued } = await sendAs(vigil, operatorToken)(
      'POST',
      `/v2/operator/accounts/${shop.accountId}/tokens`,
      { scopes: ['eval'], name: 'Till', expires_at },
    )

    expect((await whoami(String(issued['token']))).body).toMatchObject({ name: 'Till', expires_at })
  })

  test('is not told to anybody else', async () => {
    expect((await whoami('vgl_wrong')).status).toBe(401)
    expect((await vigil.door.request('GET', '/v2/whoami')).status).toBe(401)
  })
})
