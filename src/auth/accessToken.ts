/** Signs and verifies access tokens; signs JWTs for HTTP requests to customers' servers. */

import { createPublicKey, hash, type KeyObject } from 'node:crypto'
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { idPrefixes, isId } from '../domain/ids.ts'
import type { ServedApp } from '../domain/sessions/appSettings.ts'
import { buildPublicJwk } from './signingKey.ts'

/** The type of call tokens, so that they are never accepted as access tokens. */
const callTokenType = 'session-validation+jwt'
const callTokenSeconds = 60

/** The claims of an access token; times in whole seconds since the Unix epoch. */
export interface AccessTokenClaims {
  readonly id: string
  readonly userId: string
  readonly sessionId: string
  readonly scopes: readonly string[]
  /** Two upper-case letters; empty when it is not known. */
  readonly countryCode: string
  readonly issuedAt: number
  readonly expiresAt: number
}

interface TokenParties {
  /** The address of the application's host. */
  readonly issuer: string
  /** The application's id. */
  readonly audience: string
}

/** The signing key of an application, with its id. */
export interface TokenSigner extends TokenParties {
  readonly kid: string
  readonly privateKey: KeyObject
}

export interface VerificationInput extends TokenParties {
  readonly keys: ServedApp['keys']
  readonly nowMs: number
}

const algorithm = 'EdDSA'
/** Allowed difference between clocks. */
const skewSeconds = 5
/** Longer texts are refused unread. */
const charsMax = 4_096
const claims = ['jti', 'sub', 'sid', 'scope', 'iat', 'nbf', 'exp'] as const

/** Signs an access token; the same token and key give the same bytes. */
export function signAccessTokenClaims(
  { id, userId, sessionId, scopes, countryCode, issuedAt, expiresAt }: AccessTokenClaims,
  signer: TokenSigner,
): Promise<string> {
  const payload = {
    iss: signer.issuer,
    aud: signer.audience,
    sub: userId,
    sid: sessionId,
    scope: scopes.join(' '),
    ...(countryCode !== '' && { cc: countryCode }),
    jti: id,
    iat: issuedAt,
    nbf: issuedAt,
    exp: expiresAt,
  }
  return sign(payload, 'JWT', signer)
}

function sign(payload: JWTPayload, typ: string, { kid, privateKey }: TokenSigner): Promise<string> {
  return new SignJWT(payload).setProtectedHeader({ alg: algorithm, typ, kid }).sign(privateKey)
}

/** Whether it is three base64url segments without padding (RFC 7515, 7.1); `jose` also decodes padding and blanks. */
export function isCompactJws(text: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)
}

/**
 * The claims of a token that is valid now, and `expired` for one that was; undefined unless these parties issued it and
 * one of these keys signed it. A key that the token itself names or contains is never used.
 */
export async function verifyAccessToken(
  text: string,
  { issuer, audience, keys, nowMs }: VerificationInput,
): Promise<AccessTokenClaims | 'expired' | undefined> {
  if (text.length > charsMax || !isCompactJws(text)) return undefined
  try {
    const { payload } = await jwtVerify(text, (header) => findKey(header, keys), {
      algorithms: [algorithm],
      typ: 'JWT',
      issuer,
      audience,
      requiredClaims: [...claims],
      clockTolerance: skewSeconds,
      currentDate: new Date(nowMs),
    })
    const token = readClaims(payload)
    return token && isTokenValidAt(token, nowMs) ? token : undefined
  } catch (error) {
    // told when everything else of the token was found right
    if (error instanceof errors.JWTExpired) return 'expired'
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

/** Whether a verified token is valid at this time. */
export function isTokenValidAt({ issuedAt, expiresAt }: AccessTokenClaims, nowMs: number): boolean {
  const now = Math.floor(nowMs / 1_000)
  return issuedAt <= now + skewSeconds && expiresAt > now - skewSeconds
}

/** The key of the header's `kid`; headers with other fields (`jwk`, `jku`, `x5u`) are refused. */
function findKey(header: Readonly<Record<string, unknown>>, keys: ServedApp['keys']): KeyObject {
  const key = keys.find(({ kid }) => kid === header['kid'])
  if (!key || Object.keys(header).length !== 3) throw new errors.JWKSNoMatchingKey()
  const cached = publicKeys.get(key)
  if (cached) return cached
  const { kty, crv, x } = buildPublicJwk(key.kid, key.public_key)
  const made = createPublicKey({ key: { kty, crv, x }, format: 'jwk' })
  publicKeys.set(key, made)
  return made
}

/** Key objects, cached while their key is in use. */
const publicKeys = new WeakMap<ServedApp['keys'][number], KeyObject>()

/** The token of a payload; undefined for other payloads that the application signed. */
function readClaims(payload: JWTPayload): AccessTokenClaims | undefined {
  const { aud, jti, sub, sid, scope, cc = '', iat, exp } = payload
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

/** A call to an external service. */
export interface OutgoingRequest {
  readonly url: string
  readonly body: string
  readonly nowMs: number
  /** A unique text. */
  readonly id: string
}

/** Signs a token for this URL and body, valid for a minute. */
export function signRequestToken(
  { url, body, nowMs, id }: OutgoingRequest,
  signer: TokenSigner,
): Promise<string> {
  const issuedAt = Math.floor(nowMs / 1_000)
  const payload = {
    iss: signer.issuer,
    aud: url,
    jti: id,
    iat: issuedAt,
    exp: issuedAt + callTokenSeconds,
    body_sha256: hash('sha256', body, 'base64url'),
  }
  return sign(payload, callTokenType, signer)
}
