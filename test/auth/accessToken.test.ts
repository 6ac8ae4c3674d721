import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type AccessTokenClaims,
  signAccessTokenClaims,
  verifyAccessToken,
} from '../../src/auth/accessToken.ts'
import { derivePublicKey, deriveSigningKey } from '../../src/auth/signingKey.ts'
import { draws } from '../support/draws.ts'

const nowMs = Date.UTC(2026, 10, 22, 9, 30)
const nowSeconds = nowMs / 1_000

const pairOf = (kid: string, fill: number) => {
  const secret = new Uint8Array(32).fill(fill)
  return { kid, privateKey: deriveSigningKey(secret), public_key: derivePublicKey(secret) }
}
const [older, newer] = [pairOf('older', 1), pairOf('newer', 2)]
const parties = { issuer: 'https://corner1.session.example.com', audience: 'corner1' }
const token: AccessTokenClaims = {
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

type Sign = (input: Buffer) => Buffer

/** Of a good token. */
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

const byUs: Sign = (input) => sign(null, input, newer.privateKey)

/**
 * A good token with these things changed, signed by the application's own key unless told otherwise: so each fails for
 * what it is named after.
 */
function forged(header: object, claims: object = {}, signed = byUs): string {
  const input = [
    { alg: 'EdDSA', typ: 'JWT', kid: 'newer', ...header },
    { ...usual, ...claims },
  ]
    .map(partOf)
    .join('.')
  return `${input}.${signed(Buffer.from(input)).toString('base64url')}`
}

const foreign = pairOf('foreign', 3)
const brought = { jwk: { kty: 'OKP', crv: 'Ed25519', x: foreign.public_key } }
const unsigned: Sign = () => Buffer.alloc(0)
const byForeign: Sign = (input) => sign(null, input, foreign.privateKey)
const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const byElliptic: Sign = (input) =>
  sign('sha256', input, { key: elliptic, dsaEncoding: 'ieee-p1363' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const byRsa: Sign = (input) => sign('sha256', input, rsa)
const byHmac =
  (key: string | Buffer): Sign =>
  (input) =>
    createHmac('sha256', key).update(input).digest()
const ourKey = createPublicKey(newer.privateKey)

const forgedHeaders: [string, object, Sign?][] = [
  ['no signature (alg none)', { alg: 'none' }, unsigned],
  ['alg None', { alg: 'None' }, unsigned],
  ['alg none beside a good signature', { alg: 'none' }],
  ['no signature at all', {}, unsigned],
  [
    'HMAC with the public key',
    { alg: 'HS256' },
    byHmac(Buffer.from(newer.public_key, 'base64url')),
  ],
  ['HMAC with its text', { alg: 'HS256' }, byHmac(newer.public_key)],
  ['HMAC with its SPKI', { alg: 'HS256' }, byHmac(ourKey.export({ format: 'der', type: 'spki' }))],
  ['HMAC with its PEM', { alg: 'HS256' }, byHmac(ourKey.export({ format: 'pem', type: 'spki' }))],
  ['ES256', { alg: 'ES256' }, byElliptic],
  ['RS256', { alg: 'RS256' }, byRsa],
  ['another name of the algorithm', { alg: 'Ed25519' }],
  ['crit', { crit: ['exp'], exp: 1 }],
  ['an unencoded payload', { crit: ['b64'], b64: false }],
  ['another type', { typ: 'dpop+jwt' }],
  ['the type of calls', { typ: 'session-validation+jwt' }],
  ['no type', { typ: undefined }],
  ['a foreign key under our kid', {}, byForeign],
  ['a foreign kid', { kid: 'foreign' }, byForeign],
  ['a kid of a path', { kid: '../../../../dev/null' }, byForeign],
  ['a kid of every object', { kid: '__proto__' }, byForeign],
  ['no kid', { kid: undefined }],
  ['a kid that is no text', { kid: ['newer'] }],
  ['jwk', brought, byForeign],
  ['jwk without kid', { ...brought, kid: undefined }, byForeign],
  ['jku', { jku: 'https://evil.example/jwks.json' }, byForeign],
  ['x5u', { x5u: 'https://evil.example/cert.pem' }, byForeign],
  ['x5c', { x5c: ['MIIB'] }, byForeign],
  ['jwk beside a good signature', brought],
  ['jku beside a good signature', { jku: 'https://evil.example/jwks.json' }],
]

const forgedClaims = {
  'another issuer': { iss: 'https://other01.session.example.com' },
  'two issuers': { iss: [parties.issuer] },
  'another audience': { aud: 'other01' },
  'more than one audience': { aud: [parties.audience, 'other01'] },
  'no audience': { aud: undefined },
  'a beginning that is to come': { nbf: 33_000_000_000 },
  'a time that is to come': { iat: 33_000_000_000 },
  'no end': { exp: undefined },
  'an end that is a text': { exp: '33000000000' },
  'an end beyond numbers': { exp: null },
  'no beginning': { nbf: undefined },
  'no time': { iat: undefined },
  'no session': { sid: undefined },
  'a session of another form': { sid: 'ses_1' },
  'a user of another form': { sub: token.sessionId },
  'scopes in a list': { scope: ['prld:pwd:write'] },
  'no scopes': { scope: undefined },
  'a country that is no text': { cc: 33 },
  'an id that is no text': { jti: 1 },
}

const good = forged({})
const [goodHeader, goodClaims, goodSignature] = good.split('.')
const malformed = {
  'a padded signature': `${good}==`,
  'a blank inside the signature': `${good.slice(0, -9)} ${good.slice(-9)}`,
  'a tab inside the signature': `${good.slice(0, -9)}\t${good.slice(-9)}`,
  'a list of two': `${good}, ${good}`,
  'a part more': `${good}.${goodSignature}`,
  'no signature after its dot': `${goodHeader}.${goodClaims}.`,
  'half of a signature': `${goodHeader}.${goodClaims}.${goodSignature?.slice(0, 43)}`,
  'padded base64': `${goodHeader}=.${goodClaims}=.${goodSignature}==`,
  JSON: JSON.stringify({ protected: goodHeader, payload: goodClaims, signature: goodSignature }),
}

describe('a token', () => {
  test('says what it was made of, and has the same bytes every time', async () => {
    const [text, again] = [
      await signAccessTokenClaims(token, { ...parties, ...newer }),
      await signAccessTokenClaims(token, { ...parties, ...newer }),
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
    const text = await signAccessTokenClaims(token, { ...parties, ...older })

    expect(await verify(text)).toEqual(token)
    expect(await verify(text, { keys: [newer] })).toBeUndefined()
  })

  test('says nothing of a country or scopes that there are not', async () => {
    const bare = { ...token, scopes: [], countryCode: '' }
    const text = await signAccessTokenClaims(bare, { ...parties, ...newer })

    expect(read(text.split('.')[1])).not.toHaveProperty('cc')
    expect(await verify(text)).toEqual(bare)
  })

  test.each([
    ['wrong before it is good', -6, undefined],
    ['good as long before as clocks may be apart', -5, 'good'],
    ['good at its end', 600, 'good'],
    ['good as long after as clocks may be apart', 604, 'good'],
    ['expired after that', 605, 'expired'],
  ])('is %s', async (_when, seconds, expected) => {
    const text = await signAccessTokenClaims(token, { ...parties, ...newer })

    const found = await verify(text, { nowMs: nowMs + seconds * 1_000 })

    expect(typeof found === 'object' ? 'good' : found).toBe(expected)
  })
})

test('what is forged is good but for what is changed', async () => {
  expect(await verify(good)).toMatchObject({ userId: token.userId })
})

test.each([
  ...Object.entries(malformed),
  ...forgedHeaders.map(([name, header, signed]) => [name, forged(header, {}, signed)] as const),
  ...Object.entries(forgedClaims).map(([name, claims]) => [name, forged({}, claims)] as const),
])('a token with %s is refused', async (_what, text) => {
  expect(await verify(text)).toBeUndefined()
})

test('a token of another application is refused, even by the same key', async () => {
  const others = { issuer: 'https://other01.session.example.com', audience: 'other01' }
  const text = await signAccessTokenClaims(token, { ...others, ...newer })

  expect(await verify(text)).toBeUndefined()
  expect(await verify(text, others)).toEqual(token)
})

test('claims that were changed are refused', async () => {
  const [header, payload, signature] = (
    await signAccessTokenClaims(token, { ...parties, ...newer })
  ).split('.')
  const more = partOf({ ...read(payload), scope: 'everything' })

  expect(await verify(`${header}.${more}.${signature}`)).toBeUndefined()
})

test('what is longer than tokens are is not looked at', async () => {
  expect(await verify(forged({}, { more: 'x'.repeat(5_000) }))).toBeUndefined()
})

test('no text is an error', async () => {
  const good = await signAccessTokenClaims(token, { ...parties, ...newer })
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
