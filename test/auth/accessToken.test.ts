import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AccessToken, makeAccessToken, verifyAccessToken } from '../../src/auth/accessToken.ts'
import { publicKeyOf, signingKeyOf } from '../../src/auth/signingKey.ts'
import { draws } from '../support/draws.ts'
import { forgerOf } from '../support/forgedTokens.ts'

const nowMs = Date.UTC(2026, 10, 22, 9, 30)
const nowSeconds = nowMs / 1_000

const pairOf = (kid: string, fill: number) => {
  const secret = new Uint8Array(32).fill(fill)
  return { kid, privateKey: signingKeyOf(secret), public_key: publicKeyOf(secret) }
}
const [older, newer] = [pairOf('older', 1), pairOf('newer', 2)]
const parties = { issuer: 'https://corner1.session.example.com', audience: 'corner1' }
const token: AccessToken = {
  id: '0198c0de-0000-7000-8000-000000000001',
  userId: 'usr_01jc0t6fwwfgfsq1md24mhyztj',
  sessionId: 'ses_01jc0t6fwwfgfsq1md24mhyztk',
  scopes: ['prld:pwd:write', 'orders'],
  countryCode: 'FR',
  issuedAt: nowSeconds,
  expiresAt: nowSeconds + 600,
}

const verify = (text: string, change: object = {}) =>
  verifyAccessToken(text, { ...parties, keys: [older, newer], nowMs, ...change })

const partOf = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const read = (part = ''): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, 'base64url').toString())

const { forged, attacks } = forgerOf(newer, {
  iss: parties.issuer,
  aud: parties.audience,
  sub: token.userId,
  sid: token.sessionId,
  scope: '',
  jti: token.id,
  iat: nowSeconds,
  nbf: nowSeconds,
  exp: nowSeconds + 600,
})

describe('a token', () => {
  test('says what it was made of, and has the same bytes every time', async () => {
    const [text, again] = [
      await makeAccessToken(token, parties, newer),
      await makeAccessToken(token, parties, newer),
    ]
    const [header, claims] = text.split('.').slice(0, 2).map(read)

    expect(again).toBe(text)
    expect(await verify(text)).toEqual(token)
    expect(header).toEqual({ alg: 'EdDSA', typ: 'JWT', kid: 'newer' })
    expect(claims).toEqual({
      iss: 'https://corner1.session.example.com',
      aud: 'corner1',
      sub: token.userId,
      sid: token.sessionId,
      scope: 'prld:pwd:write orders',
      cc: 'FR',
      jti: token.id,
      iat: nowSeconds,
      nbf: nowSeconds,
      exp: nowSeconds + 600,
    })
  })

  test('of every key that verifies is good, until that is retired', async () => {
    const text = await makeAccessToken(token, parties, older)

    expect(await verify(text)).toEqual(token)
    expect(await verify(text, { keys: [newer] })).toBeUndefined()
  })

  test('says nothing of a country or scopes that there are not', async () => {
    const bare = { ...token, scopes: [], countryCode: '' }
    const text = await makeAccessToken(bare, parties, newer)

    expect(read(text.split('.')[1])).not.toHaveProperty('cc')
    expect(await verify(text)).toEqual(bare)
  })

  test.each([
    ['before it is good', -6, false],
    ['as long before as clocks may be apart', -5, true],
    ['at its end', 600, true],
    ['as long after as clocks may be apart', 604, true],
    ['after that', 605, false],
  ])('%s', async (_when, seconds, isGood) => {
    const text = await makeAccessToken(token, parties, newer)

    const found = await verify(text, { nowMs: nowMs + seconds * 1_000 })

    expect(found !== undefined).toBe(isGood)
  })
})

test('the forger makes good tokens, too', async () => {
  expect(await verify(forged({}))).toMatchObject({ userId: token.userId })
})

test.each(attacks)('%s is refused', async (_attack, text) => {
  expect(await verify(text)).toBeUndefined()
})

test('a token of another application is refused, even by the same key', async () => {
  const others = { issuer: 'https://other01.session.example.com', audience: 'other01' }
  const text = await makeAccessToken(token, others, newer)

  expect(await verify(text)).toBeUndefined()
  expect(await verify(text, others)).toEqual(token)
})

test('claims that were changed are refused', async () => {
  const [header, payload, signature] = (await makeAccessToken(token, parties, newer)).split('.')
  const more = partOf({ ...read(payload), scope: 'everything' })

  expect(await verify(`${header}.${more}.${signature}`)).toBeUndefined()
})

test('what is longer than tokens are is not looked at', async () => {
  expect(await verify(forged({ claims: { more: 'x'.repeat(5_000) } }))).toBeUndefined()
})

test('no text is an error', async () => {
  const good = await makeAccessToken(token, parties, newer)
  const part = fc.oneof(
    fc.constantFrom(...good.split('.')),
    fc.json().map((text) => Buffer.from(text).toString('base64url')),
    fc.string(),
  )
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(part, { maxLength: 5 }).map((parts) => parts.join('.')),
    fc.nat(good.length - 1).map((at) => `${good.slice(0, at)}${good.slice(at + 1)}`),
  )

  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const found = await verify(text)
      if (text !== good) expect(found).toBeUndefined()
    }),
    { numRuns: draws(500) },
  )
})
