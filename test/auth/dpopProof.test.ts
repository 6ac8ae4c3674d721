import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deriveDpopNonces, verifyDpopProof } from '../../src/auth/dpopProof.ts'
import { Failure } from '../../src/domain/failure.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const jwk = publicKey.export({ format: 'jwk' })
const nowMs = 1_760_000_000_000
const iat = nowMs / 1_000
const url = 'https://corner1.session.example/v1/session/refresh'
const expected = {
  method: 'POST',
  host: 'corner1.session.example',
  path: '/v1/session/refresh',
  isSecure: true,
  nonces: ['now', 'before'] as const,
  nowMs,
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const claims = { jti: 'a', htm: 'POST', htu: url, iat, nonce: 'now' }
const header = { typ: 'dpop+jwt', alg: 'ES256', jwk }

/** A proof as browsers make it, with these things in it. */
function proof(change: object = {}, changedHeader: object = {}, key = privateKey): string {
  const text = `${part({ ...header, ...changedHeader })}.${part({ ...claims, ...change })}`
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}

const refusal = async (text: string | undefined, change: object = {}) => {
  try {
    await verifyDpopProof(text, { ...expected, ...change })
  } catch (error) {
    if (error instanceof Failure) return error.code
    throw error
  }
  return 'none'
}

describe('a proof', () => {
  test('is told by its key and its jti', async () => {
    const { x, y } = jwk
    const canonical = JSON.stringify({ crv: 'P-256', kty: 'EC', x, y })

    expect(await verifyDpopProof(proof(), expected)).toEqual({
      thumbprint: createHash('sha256').update(canonical).digest('base64url'),
      id: createHash('sha256').update('a').digest('hex').slice(0, 32),
    })
  })

  test.each([
    ['the nonce before', { nonce: 'before' }, {}],
    ['a query and a fragment', { htu: `${url}?x=1#y` }, {}],
    ['another spelling of the host', { htu: url.replace('corner1', 'CORNER1') }, {}],
    ['the usual port spelt out', { htu: url.replace('example/', 'example:443/') }, {}],
    ['a port that proxies leave out', { htu: url.replace('example/', 'example:8443/') }, {}],
    [
      'a port',
      { htu: url.replace('example/', 'example:8443/') },
      { host: `${expected.host}:8443` },
    ],
    ['no TLS where there is none', { htu: url.replace('https', 'http') }, { isSecure: false }],
    ['TLS that ends in front', {}, { isSecure: false }],
    ['an old one', { iat: iat - 299 }, {}],
    ['a fast clock', { iat: iat + 59 }, {}],
  ])('may have %s', async (_, change, asked) => {
    expect(await refusal(proof(change), asked)).toBe('none')
  })

  test('has to be there', async () => {
    expect(await refusal(undefined)).toBe('missing_dpop_proof')
    expect(await refusal('')).toBe('missing_dpop_proof')
  })

  test.each([
    ['another method', { htm: 'GET' }],
    ['a method in lower case', { htm: 'post' }],
    ['no method', { htm: undefined }],
    ['another path', { htu: url.replace('refresh', 'revoke') }],
    ['another host', { htu: url.replace('corner1', 'other01') }],
    ['a host that only begins so', { htu: url.replace('example/', 'example.evil.example/') }],
    ['a user name', { htu: url.replace('https://', 'https://corner1.session.example@') }],
    ['another scheme', { htu: url.replace('https', 'ftp') }],
    ['no TLS where there is', { htu: url.replace('https', 'http') }],
    ['no URL', { htu: 'refresh' }],
    ['a number for a URL', { htu: 7 }],
    ['the future', { iat: iat + 61 }],
    ['the past', { iat: iat - 301 }],
    ['no time', { iat: undefined }],
    ['a text for a time', { iat: String(iat) }],
    ['no jti', { jti: undefined }],
    ['an empty jti', { jti: '' }],
    ['a long jti', { jti: 'x'.repeat(257) }],
    ['a list for a jti', { jti: ['a'] }],
  ])('is none with %s', async (_, change) => {
    expect(await refusal(proof(change))).toBe('invalid_dpop_proof')
  })

  const asked = 'https://corner1.session.example/v1/session/refresh'
  test.each([
    ['another method', { htm: 'GET' }, {}, "Its 'htm' must be the method of the request, POST."],
    [
      'another URL',
      { htu: 'https://a.example/' },
      {},
      `Its 'htu' must be the URL of the request, ${asked}.`,
    ],
    [
      'an iat too far ahead',
      { iat: iat + 61 },
      {},
      "Its 'iat' lies 61 seconds in the future; the server's time is 1760000000.",
    ],
    [
      'an iat too long ago',
      { iat: iat - 301 },
      {},
      "Its 'iat' lies 301 seconds in the past; the server's time is 1760000000.",
    ],
    [
      'an exp that has passed',
      { exp: iat - 100 },
      {},
      "Its 'exp' lies 100 seconds in the past; the server's time is 1760000000.",
    ],
    [
      'an nbf to come',
      { nbf: iat + 100 },
      {},
      "Its 'nbf' lies 100 seconds in the future; the server's time is 1760000000.",
    ],
    ['a text for exp', { exp: 'soon' }, {}, "Its 'exp' must be a number of seconds."],
    ['a text for iat', { iat: 'now' }, {}, "Its 'iat' must be a number of seconds."],
    ['no jti', { jti: '' }, {}, "Its 'jti' must be a text of 1 to 256 characters."],
    ['another type', {}, { typ: 'JWT' }, "Its 'typ' must be dpop+jwt."],
    ['another algorithm', {}, { alg: 'HS256' }, "Its 'alg' must be ES256."],
    ['an extension', {}, { crit: ['mine'], mine: 1 }, "Its 'crit' must be absent."],
    ['no key', {}, { jwk: undefined }, "Its 'jwk' must be the public half of a P-256 key."],
    [
      'a point that is none',
      {},
      { jwk: { ...jwk, y: jwk.x } },
      "Its 'jwk' must be the public half of a P-256 key.",
    ],
    [
      'the key of somebody else',
      {},
      {
        jwk: generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
      },
      'Its signature is wrong.',
    ],
  ])('with %s is refused with the cause', async (...given) => {
    const [, change, changedHeader, cause] = given
    // even where the nonce is wrong as well: it is looked at last
    const text = proof({ nonce: 'other', ...change }, changedHeader)

    await expect(verifyDpopProof(text, expected)).rejects.toMatchObject({
      code: 'invalid_dpop_proof',
      message: `The DPoP proof is not valid. ${cause}`,
    })
  })

  test('with an exp to come by the clock of the service is fine, whatever the machine says', async () => {
    expect(await refusal(proof({ exp: iat + 60, nbf: iat }))).toBe('none')
  })

  test('is none for another port than the one that was asked', async () => {
    const other = proof({ htu: url.replace('example/', 'example:9443/') })

    expect(await refusal(other, { host: `${expected.host}:8443` })).toBe('invalid_dpop_proof')
  })

  test.each([
    ['none', undefined],
    ['another', 'other'],
    ['a list', ['now']],
    ['an empty one', ''],
  ])('with %s for a nonce is to be made again', async (_, nonce) => {
    expect(await refusal(proof({ nonce }))).toBe('use_dpop_nonce')
  })

  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const larger = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  test.each([
    ['no type', { typ: undefined }],
    ['the type of an access token', { typ: 'JWT' }],
    ['no algorithm', { alg: 'none' }],
    ['a shared secret', { alg: 'HS256' }],
    ['another algorithm', { alg: 'EdDSA' }],
    ['no key', { jwk: undefined }],
    ['the key of somebody else', { jwk: other.publicKey.export({ format: 'jwk' }) }],
    ['its private key', { jwk: privateKey.export({ format: 'jwk' }) }],
    ['a key of another curve', { jwk: larger.publicKey.export({ format: 'jwk' }) }],
    ['a shared secret for a key', { jwk: { kty: 'oct', k: 'AAAA' } }],
    ['a point that is none', { jwk: { ...jwk, y: jwk.x } }],
    ['a short coordinate', { jwk: { ...jwk, x: 'AAAA' } }],
    ['a critical extension', { crit: ['b64'], b64: false }],
    ['an unknown one', { crit: ['mine'], mine: 1 }],
  ])('is none with %s in its header', async (_, change) => {
    expect(await refusal(proof({}, change))).toBe('invalid_dpop_proof')
  })

  test('is none by another key than the one it carries', async () => {
    expect(await refusal(proof({}, {}, other.privateKey))).toBe('invalid_dpop_proof')
  })

  test('is none when it carries a place to fetch the key from instead', async () => {
    const header = { jwk: undefined, jku: 'https://evil.example/jwks', kid: 'x' }

    expect(await refusal(proof({}, header))).toBe('invalid_dpop_proof')
  })

  test('is not looked at when it is longer than proofs are', async () => {
    const text = proof({ more: 'x'.repeat(2_048) })

    expect(await refusal(text)).toBe('invalid_dpop_proof')
  })

  test('is none with any character of it changed', async () => {
    const text = proof()
    for (let at = 0; at < text.length; at += 7) {
      const changed = `${text.slice(0, at)}${text[at] === 'x' ? 'y' : 'x'}${text.slice(at + 1)}`
      expect(await refusal(changed)).toBe('invalid_dpop_proof')
    }
  })

  test('is none with padding, a blank or a tab in its base64url, which decode to the same bytes', async () => {
    const good = proof()

    for (const odd of [`${good}==`, `${good.slice(0, -9)} ${good.slice(-9)}`, `${good}\t`]) {
      expect(await refusal(odd)).toBe('invalid_dpop_proof')
    }
  })

  test('is no other text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1 }), async (text) => {
        expect(await refusal(text)).toBe('invalid_dpop_proof')
      }),
    )
  })
})

describe('a nonce', () => {
  const digest = (purpose: string, text: string) =>
    createHmac('sha256', 'a secret')
      .update(JSON.stringify([purpose, text]))
      .digest('base64url')
  const token = { hash: 'one' }
  const minutes = 60_000
  const [given] = deriveDpopNonces(token, nowMs, digest)

  const isGood = (of: typeof token, timeMs: number) =>
    deriveDpopNonces(of, timeMs, digest).includes(given)

  test('is good for ten minutes at least, and for twenty at most', () => {
    expect(isGood(token, nowMs)).toBe(true)
    expect(isGood(token, nowMs + 10 * minutes)).toBe(true)
    expect(isGood(token, nowMs + 20 * minutes)).toBe(false)
    expect(isGood(token, nowMs - 10 * minutes)).toBe(false)
  })

  test('is good for one token only', () => {
    expect(isGood({ hash: 'other' }, nowMs)).toBe(false)
  })
})
