import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AccessToken, makeAccessToken, verifyAccessToken } from '../../src/auth/accessToken.ts'
import { publicKeyOf, signingKeyOf } from '../../src/auth/signingKey.ts'

const nowMs = Date.UTC(2026, 10, 22, 9, 30)
const nowSeconds = nowMs / 1_000

const pairOf = (kid: string, fill: number) => {
  const secret = new Uint8Array(32).fill(fill)
  return { kid, privateKey: signingKeyOf(secret), public_key: publicKeyOf(secret) }
}
const [older, newer, foreign] = [pairOf('older', 1), pairOf('newer', 2), pairOf('foreign', 3)]
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

/** A token of any header and claims, signed by the key as Ed25519 unless given. */
function forged(
  { header = {}, claims = {} }: { readonly header?: object; readonly claims?: object },
  signed: (input: Buffer) => Buffer = (input) => sign(null, input, newer.privateKey),
): string {
  const usual = {
    iss: parties.issuer,
    aud: parties.audience,
    sub: token.userId,
    sid: token.sessionId,
    scope: '',
    jti: token.id,
    iat: nowSeconds,
    nbf: nowSeconds,
    exp: nowSeconds + 600,
  }
  const parts = [
    partOf({ alg: 'EdDSA', typ: 'JWT', kid: 'newer', ...header }),
    partOf({ ...usual, ...claims }),
  ]
  const input = parts.join('.')
  return `${input}.${signed(Buffer.from(input)).toString('base64url')}`
}

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

/** How somebody without a key of the application tries to be let in. */
const withHmac = (key: string | Buffer) => (input: Buffer) =>
  createHmac('sha256', key).update(input).digest()
const byForeign = (input: Buffer) => sign(null, input, foreign.privateKey)
const spki = (key: KeyObject) => createPublicKey(key).export({ format: 'der', type: 'spki' })
const pem = (key: KeyObject) => createPublicKey(key).export({ format: 'pem', type: 'spki' })

const foreignJwk = { kty: 'OKP', crv: 'Ed25519', x: foreign.public_key }
const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })

test('the forger makes good tokens, too', async () => {
  expect(await verify(forged({}))).toMatchObject({ userId: token.userId })
})

test.each<[string, string]>([
  ['no signature (alg none)', forged({ header: { alg: 'none' } }, () => Buffer.alloc(0))],
  ['alg None', forged({ header: { alg: 'None' } }, () => Buffer.alloc(0))],
  ['no signature at all', forged({}, () => Buffer.alloc(0))],
  [
    'HMAC with the public key',
    forged({ header: { alg: 'HS256' } }, withHmac(Buffer.from(newer.public_key, 'base64url'))),
  ],
  ['HMAC with its text', forged({ header: { alg: 'HS256' } }, withHmac(newer.public_key))],
  ['HMAC with its SPKI', forged({ header: { alg: 'HS256' } }, withHmac(spki(newer.privateKey)))],
  ['HMAC with its PEM', forged({ header: { alg: 'HS256' } }, withHmac(pem(newer.privateKey)))],
  [
    'ES256',
    forged({ header: { alg: 'ES256' } }, (input) =>
      sign('sha256', input, { key: elliptic.privateKey, dsaEncoding: 'ieee-p1363' }),
    ),
  ],
  ['RS256', forged({ header: { alg: 'RS256' } }, (input) => sign('sha256', input, rsa.privateKey))],
  ['another name of the algorithm', forged({ header: { alg: 'Ed25519' } })],
  ['a foreign key under our kid', forged({}, byForeign)],
  ['a foreign kid', forged({ header: { kid: 'foreign' } }, byForeign)],
  ['no kid', forged({ header: { kid: undefined } })],
  ['a kid that is no text', forged({ header: { kid: ['newer'] } })],
  ['jwk', forged({ header: { jwk: foreignJwk } }, byForeign)],
  ['jwk without kid', forged({ header: { jwk: foreignJwk, kid: undefined } }, byForeign)],
  ['jku', forged({ header: { jku: 'https://evil.example/jwks.json' } }, byForeign)],
  ['x5u', forged({ header: { x5u: 'https://evil.example/cert.pem' } }, byForeign)],
  ['x5c', forged({ header: { x5c: ['MIIB'] } }, byForeign)],
  ['jwk beside a good signature', forged({ header: { jwk: foreignJwk } })],
  ['crit', forged({ header: { crit: ['exp'], exp: 1 } })],
  ['an unencoded payload', forged({ header: { crit: ['b64'], b64: false } })],
  ['another type', forged({ header: { typ: 'dpop+jwt' } })],
  ['no type', forged({ header: { typ: undefined } })],
  ['another issuer', forged({ claims: { iss: 'https://other01.session.example.com' } })],
  ['two issuers', forged({ claims: { iss: [parties.issuer] } })],
  ['another audience', forged({ claims: { aud: 'other01' } })],
  ['more than one audience', forged({ claims: { aud: ['corner1', 'other01'] } })],
  ['no audience', forged({ claims: { aud: undefined } })],
  ['no end', forged({ claims: { exp: undefined } })],
  ['an end that is a text', forged({ claims: { exp: `${nowSeconds + 600}` } })],
  ['an end beyond numbers', forged({ claims: { exp: null } })],
  ['no beginning', forged({ claims: { nbf: undefined } })],
  ['no time', forged({ claims: { iat: undefined } })],
  ['no session', forged({ claims: { sid: undefined } })],
  ['a session of another form', forged({ claims: { sid: 'ses_1' } })],
  ['a user of another form', forged({ claims: { sub: token.sessionId } })],
  ['scopes in a list', forged({ claims: { scope: ['prld:pwd:write'] } })],
  ['no scopes', forged({ claims: { scope: undefined } })],
  ['a country that is no text', forged({ claims: { cc: 33 } })],
  ['an id that is no text', forged({ claims: { jti: 1 } })],
])('%s is refused', async (_attack, text) => {
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
    { numRuns: 500 },
  )
})
