/** Signs and verifies access tokens of sessions: Ed25519 JWTs (RFC 7519, RFC 8037). */

import { createPublicKey, hash, type KeyObject } from 'node:crypto'
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { idPrefixes, isId } from '../domain/ids.ts'
import { isCompactJws } from './compactJws.ts'
import { publicJwk } from './signingKey.ts'

/** The type that tells them from access tokens, which nobody may take for one another. */
const callTokenType = 'session-validation+jwt'
/** In seconds: the call is made at once. */
const callTokenLifetime = 60

/** The claims of an access token; times in whole seconds since the Unix epoch. */
export interface AccessToken {
  readonly id: string
  readonly userId: string
  readonly sessionId: string
  readonly scopes: readonly string[]
  /** Two upper-case letters; empty when it is not known. */
  readonly countryCode: string
  readonly issuedAt: number
  readonly expiresAt: number
}

/** Issuer and audience of a token. */
export interface TokenParties {
  /** The address of the application's host. */
  readonly issuer: string
  /** The application's id. */
  readonly audience: string
}

/** A key that signs. */
export interface SigningPair {
  readonly kid: string
  readonly privateKey: KeyObject
}

/** The public half of a key, in base64url. */
interface VerifyingKey {
  readonly kid: string
  readonly public_key: string
}

export interface Verifying extends TokenParties {
  /** The application's keys by which tokens are verified. */
  readonly keys: readonly VerifyingKey[]
  readonly nowMs: number
}

const algorithm = 'EdDSA'
const type = 'JWT'
/** How far clocks may be apart. */
const skewSeconds = 5
/** Longer texts are no token of ours, and are not worth looking at. */
const charsMax = 4_096
const claims = ['jti', 'sub', 'sid', 'scope', 'iat', 'nbf', 'exp'] as const

/** The token as a text: the same bytes for the same token and key. */
export function makeAccessToken(
  token: AccessToken,
  { issuer, audience }: TokenParties,
  { kid, privateKey }: SigningPair,
): Promise<string> {
  const { id, userId, sessionId, scopes, countryCode, issuedAt, expiresAt } = token
  const payload = {
    iss: issuer,
    aud: audience,
    sub: userId,
    sid: sessionId,
    scope: scopes.join(' '),
    ...(countryCode !== '' && { cc: countryCode }),
    jti: id,
    iat: issuedAt,
    nbf: issuedAt,
    exp: expiresAt,
  }
  return new SignJWT(payload)
    .setProtectedHeader({ alg: algorithm, typ: type, kid })
    .sign(privateKey)
}

/**
 * The claims of a token; undefined unless these parties issued it, one of these keys signed it and it is valid now. A key that the token
 * itself names or contains is never used.
 */
export async function verifyAccessToken(
  text: string,
  { issuer, audience, keys, nowMs }: Verifying,
): Promise<AccessToken | undefined> {
  if (text.length > charsMax || !isCompactJws(text)) return undefined
  try {
    const { payload } = await jwtVerify(text, (header) => keyOf(header, keys), {
      algorithms: [algorithm],
      typ: type,
      issuer,
      audience,
      requiredClaims: [...claims],
      clockTolerance: skewSeconds,
      currentDate: new Date(nowMs),
    })
    const token = tokenOf(payload)
    return token && isTimely(token, nowMs) ? token : undefined
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

/** Whether a token that was good once is good at this time, as `verifyAccessToken` would find. */
export function isTimely({ issuedAt, expiresAt }: AccessToken, nowMs: number): boolean {
  const now = Math.floor(nowMs / 1_000)
  return issuedAt <= now + skewSeconds && expiresAt > now - skewSeconds
}

/** A header says what ours say and nothing else: keys and where to find them (`jwk`, `jku`, `x5u`) among it. */
function keyOf(
  header: Readonly<Record<string, unknown>>,
  keys: readonly VerifyingKey[],
): KeyObject {
  const key = keys.find(({ kid }) => kid === header['kid'])
  if (!key || Object.keys(header).length !== 3) throw new errors.JWKSNoMatchingKey()
  const made = publicKeys.get(key) ?? publicKeyObject(key)
  publicKeys.set(key, made)
  return made
}

/** Made once for each key, for as long as somebody holds it. */
const publicKeys = new WeakMap<VerifyingKey, KeyObject>()

function publicKeyObject({ kid, public_key }: VerifyingKey): KeyObject {
  const { kty, crv, x } = publicJwk(kid, public_key)
  return createPublicKey({ key: { kty, crv, x }, format: 'jwk' })
}

/** Undefined for what the application has signed and is no access token. */
function tokenOf({
  aud,
  jti,
  sub,
  sid,
  scope,
  cc = '',
  iat,
  exp,
}: JWTPayload): AccessToken | undefined {
  const isOurs =
    typeof aud === 'string' &&
    typeof jti === 'string' &&
    typeof sub === 'string' &&
    isId(idPrefixes.user, sub) &&
    typeof sid === 'string' &&
    isId(idPrefixes.session, sid) &&
    typeof scope === 'string' &&
    typeof cc === 'string' &&
    iat !== undefined &&
    exp !== undefined
  if (!isOurs) return undefined
  return {
    id: jti,
    userId: sub,
    sessionId: sid,
    scopes: scope.split(' ').filter((one) => one !== ''),
    countryCode: cc,
    issuedAt: iat,
    expiresAt: exp,
  }
}

/** A call that is about to be made. */
export interface OutgoingCall {
  /** The address of the application's host. */
  readonly issuer: string
  readonly url: string
  /** To be posted. */
  readonly body: string
  readonly nowMs: number
  /** A text of its own. */
  readonly id: string
}

/** The token as a text: for this URL and this body alone, and for a minute. */
export function makeCallToken(
  { issuer, url, body, nowMs, id }: OutgoingCall,
  { kid, privateKey }: SigningPair,
): Promise<string> {
  const issuedAt = Math.floor(nowMs / 1_000)
  const payload = {
    iss: issuer,
    aud: url,
    jti: id,
    iat: issuedAt,
    exp: issuedAt + callTokenLifetime,
    body_sha256: hash('sha256', body, 'base64url'),
  }
  return new SignJWT(payload)
    .setProtectedHeader({ alg: 'EdDSA', typ: callTokenType, kid })
    .sign(privateKey)
}
