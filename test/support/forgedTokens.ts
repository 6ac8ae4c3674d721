/** Access tokens of whoever has no business with the application: made from a good one, each wrong in one thing. */

import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { SigningPair } from '../../src/auth/accessToken.ts'
import { publicKeyOf, signingKeyOf } from '../../src/auth/signingKey.ts'

/** What is changed of a good token. */
interface Change {
  readonly header?: object
  readonly claims?: object
}

type Sign = (input: Buffer) => Buffer

/** Makes tokens of the application. */
export interface Forger {
  /** A token with these things changed, signed by the application's own key unless another signature is given. */
  readonly forged: (change: Change, signed?: Sign) => string
  /** Every attack by its name. */
  readonly attacks: readonly (readonly [string, string])[]
}

const partOf = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const withHmac =
  (key: string | Buffer): Sign =>
  (input) =>
    createHmac('sha256', key).update(input).digest()
const spki = (key: KeyObject) => createPublicKey(key).export({ format: 'der', type: 'spki' })
const pem = (key: KeyObject) => createPublicKey(key).export({ format: 'pem', type: 'spki' })

const foreignSecret = new Uint8Array(32).fill(3)
const byForeign: Sign = (input) => sign(null, input, signingKeyOf(foreignSecret))
const foreignJwk = { kty: 'OKP', crv: 'Ed25519', x: publicKeyOf(foreignSecret) }

/** A forger who has the application's key and the claims of a good token: so each of the attacks fails for what it is named after. */
export function forgerOf(
  { kid, privateKey, public_key }: SigningPair & { readonly public_key: string },
  usual: Readonly<Record<string, unknown>>,
): Forger {
  const forged: Forger['forged'] = (
    { header = {}, claims = {} },
    signed = (input) => sign(null, input, privateKey),
  ) => {
    const parts = [
      partOf({ alg: 'EdDSA', typ: 'JWT', kid, ...header }),
      partOf({ ...usual, ...claims }),
    ]
    const input = parts.join('.')
    return `${input}.${signed(Buffer.from(input)).toString('base64url')}`
  }
  const nothing: Sign = () => Buffer.alloc(0)
  const hmac = (key: string | Buffer) => forged({ header: { alg: 'HS256' } }, withHmac(key))
  const good = forged({})
  const attacks: [string, string][] = [
    ['a padded signature', `${good}==`],
    ['a blank inside the signature', `${good.slice(0, -9)} ${good.slice(-9)}`],
    ['a tab inside the signature', `${good.slice(0, -9)}\t${good.slice(-9)}`],
    ['no signature (alg none)', forged({ header: { alg: 'none' } }, nothing)],
    ['alg None', forged({ header: { alg: 'None' } }, nothing)],
    ['alg none beside a good signature', forged({ header: { alg: 'none' } })],
    ['no signature at all', forged({}, nothing)],
    ['HMAC with the public key', hmac(Buffer.from(public_key, 'base64url'))],
    ['HMAC with its text', hmac(public_key)],
    ['HMAC with its SPKI', hmac(spki(privateKey))],
    ['HMAC with its PEM', hmac(pem(privateKey))],
    ...otherAlgorithms(forged),
    ...foreignKeys(forged),
    ...otherClaims(forged, usual),
  ]
  return { forged, attacks }
}

function otherAlgorithms(forged: Forger['forged']): [string, string][] {
  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const byElliptic: Sign = (input) =>
    sign('sha256', input, { key: elliptic, dsaEncoding: 'ieee-p1363' })
  return [
    ['ES256', forged({ header: { alg: 'ES256' } }, byElliptic)],
    ['RS256', forged({ header: { alg: 'RS256' } }, (input) => sign('sha256', input, rsa))],
    ['another name of the algorithm', forged({ header: { alg: 'Ed25519' } })],
    ['crit', forged({ header: { crit: ['exp'], exp: 1 } })],
    ['an unencoded payload', forged({ header: { crit: ['b64'], b64: false } })],
    ['another type', forged({ header: { typ: 'dpop+jwt' } })],
    ['the type of calls', forged({ header: { typ: 'session-validation+jwt' } })],
    ['no type', forged({ header: { typ: undefined } })],
  ]
}

function foreignKeys(forged: Forger['forged']): [string, string][] {
  const brought = { jwk: foreignJwk }
  return [
    ['a foreign key under our kid', forged({}, byForeign)],
    ['a foreign kid', forged({ header: { kid: 'foreign' } }, byForeign)],
    ['a kid of a path', forged({ header: { kid: '../../../../dev/null' } }, byForeign)],
    ['a kid of every object', forged({ header: { kid: '__proto__' } }, byForeign)],
    ['no kid', forged({ header: { kid: undefined } })],
    ['a kid that is no text', forged({ header: { kid: ['newer'] } })],
    ['jwk', forged({ header: brought }, byForeign)],
    ['jwk without kid', forged({ header: { ...brought, kid: undefined } }, byForeign)],
    ['jku', forged({ header: { jku: 'https://evil.example/jwks.json' } }, byForeign)],
    ['x5u', forged({ header: { x5u: 'https://evil.example/cert.pem' } }, byForeign)],
    ['x5c', forged({ header: { x5c: ['MIIB'] } }, byForeign)],
    ['jwk beside a good signature', forged({ header: brought })],
    ['jku beside a good signature', forged({ header: { jku: 'https://evil.example/jwks.json' } })],
  ]
}

function otherClaims(
  forged: Forger['forged'],
  { sid, aud, iss }: Readonly<Record<string, unknown>>,
): [string, string][] {
  return Object.entries({
    'another issuer': { iss: 'https://other01.session.example.com' },
    'two issuers': { iss: [iss] },
    'another audience': { aud: 'other01' },
    'more than one audience': { aud: [aud, 'other01'] },
    'no audience': { aud: undefined },
    'an end that is over': { exp: 1_700_000_000 },
    'a beginning that is to come': { nbf: 33_000_000_000 },
    'a time that is to come': { iat: 33_000_000_000 },
    'no end': { exp: undefined },
    'an end that is a text': { exp: '33000000000' },
    'an end beyond numbers': { exp: null },
    'no beginning': { nbf: undefined },
    'no time': { iat: undefined },
    'no session': { sid: undefined },
    'a session of another form': { sid: 'ses_1' },
    'a user of another form': { sub: sid },
    'scopes in a list': { scope: ['prld:pwd:write'] },
    'no scopes': { scope: undefined },
    'a country that is no text': { cc: 33 },
    'an id that is no text': { jti: 1 },
  }).map(([name, claims]) => [name, forged({ claims })])
}
