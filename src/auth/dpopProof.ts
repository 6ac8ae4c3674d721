/** Verifies DPoP proofs (RFC 9449) by the key they carry, and derives their nonces. */

import { hash } from 'node:crypto'
import { type CryptoKey, errors, importJWK, type JWTPayload, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import { Failure } from '../domain/failure.ts'
import { isCompactJws } from './accessToken.ts'
import type { KeyedDigest, RefreshToken } from './refreshToken.ts'

/** In characters; those of browsers and phones have about 500. */
const proofMax = 2_048
const jtiMax = 256
/** Limits of a proof's age and of a clock that is ahead, in seconds; the nonce proves freshness. */
const proofAgeMax = 300
const proofAheadMax = 60

/** The request that a proof must name. */
export interface ProofTarget {
  readonly method: string
  /** As the client sent it, in lower case, with its port if any. */
  readonly host: string
  readonly path: string
  /** Whether it is known to use TLS. */
  readonly isSecure: boolean
}

interface ProofExpected extends ProofTarget {
  /** As `deriveDpopNonces` derives them. */
  readonly nonces: readonly [current: string, previous: string]
  readonly nowMs: number
}

export interface DpopProof {
  /** Thumbprint of its key (RFC 7638). */
  readonly thumbprint: string
  /** Digest of its `jti`, 32 hexadecimal digits. */
  readonly id: string
}

/**
 * Verifies the header `DPoP`: signature by the key it carries (ES256, P-256, public half only), method, URL, time,
 * nonce (RFC 9449, 4.3). Reuse is not checked. Throws `missing_dpop_proof`, `invalid_dpop_proof`, and `use_dpop_nonce`
 * when only the nonce is wrong or missing.
 */
export async function verifyDpopProof(
  text: string | undefined,
  expected: ProofExpected,
): Promise<DpopProof> {
  if (text === undefined || text === '') {
    throw new Failure('missing_dpop_proof', "The header 'DPoP' with a proof is missing.")
  }
  if (text.length > proofMax) throw invalidProof(`It has more than ${proofMax} characters.`)
  const { payload, thumbprint } = await verifySignature(text, expected.nowMs)
  const { htm, htu, jti, nonce } = payload
  const { method, host, path } = expected
  if (htm !== method) {
    throw invalidProof(`Its 'htm' must be the method of the request, ${method}.`)
  }
  if (!isUrlOf(htu, expected)) {
    throw invalidProof(`Its 'htu' must be the URL of the request, https://${host}${path}.`)
  }
  assertTime(payload, expected.nowMs)
  if (typeof jti !== 'string' || jti === '' || jti.length > jtiMax) {
    throw invalidProof(`Its 'jti' must be a text of 1 to ${jtiMax} characters.`)
  }
  if (typeof nonce !== 'string' || !expected.nonces.includes(nonce)) {
    const message = "The proof must carry the 'nonce' of the header DPoP-Nonce."
    throw new Failure('use_dpop_nonce', message, { dpopNonce: expected.nonces[0] })
  }
  return { thumbprint, id: hash('sha256', jti, 'hex').slice(0, 32) }
}

/** The claims of a proof, and the thumbprint of the key that signed it. */
async function verifySignature(text: string, nowMs: number) {
  if (!isCompactJws(text)) throw invalidProof(noJwt)
  try {
    const { payload, protectedHeader } = await jwtVerify(
      text,
      ({ jwk }) => importKey(readPublicKey(jwk)),
      {
        algorithms: ['ES256'],
        typ: 'dpop+jwt',
        currentDate: new Date(nowMs),
        clockTolerance: proofAheadMax,
      },
    )
    return { payload, thumbprint: computeThumbprint(readPublicKey(protectedHeader.jwk)) }
  } catch (error) {
    if (error instanceof Failure) throw error
    throw invalidProof(describeError(error, nowMs), error)
  }
}

const noJwt = 'It must be a JWT signed by the key in its header.'

function describeError(error: unknown, nowMs: number): string {
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'Its signature is wrong.'
  if (error instanceof errors.JOSEAlgNotAllowed) return "Its 'alg' must be ES256."
  if (error instanceof errors.JOSENotSupported) return "Its 'crit' must be absent."
  if (error instanceof errors.JWTInvalid) return 'Its payload must be a JSON object.'
  if (error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed) {
    return describeClaim(error, nowMs)
  }
  return noJwt
}

function describeClaim(
  { claim, reason, payload }: errors.JWTExpired | errors.JWTClaimValidationFailed,
  nowMs: number,
): string {
  if (claim === 'typ') return "Its 'typ' must be dpop+jwt."
  if (reason === 'invalid') return `Its '${claim}' must be a number of seconds.`
  return `Its '${claim}' ${describeDistance(Number(payload[claim]), nowMs)}`
}

/** How far a time of a claim lies from the server's. */
function describeDistance(seconds: number, nowMs: number): string {
  const now = Math.floor(nowMs / 1_000)
  const side = seconds > now ? 'in the future' : 'in the past'
  const distance = Math.abs(Math.round(seconds - now))
  return `lies ${distance} seconds ${side}; the server's time is ${now}.`
}

/** 32 bytes. */
const coordinate = /^[A-Za-z0-9_-]{43}$/

/** The needed fields of the key in the header. */
function readPublicKey(jwk: unknown) {
  const { kty, crv, x, y, d } = Object(jwk) as Record<string, unknown>
  const isPublic = kty === 'EC' && crv === 'P-256' && d === undefined
  if (isPublic && isCoordinate(x) && isCoordinate(y)) return { kty, crv, x, y }
  return refuseKey()
}

function refuseKey(): never {
  throw invalidProof("Its 'jwk' must be the public half of a P-256 key.")
}

type PublicKey = ReturnType<typeof readPublicKey>

/** Recently used client keys: importing one takes as long as verifying a signature. */
const imported = new LRUCache<string, CryptoKey | Uint8Array>({ max: 4_096 })

async function importKey(key: PublicKey): Promise<CryptoKey | Uint8Array> {
  const name = key.x + key.y
  const known = imported.get(name) ?? (await importJWK(key, 'ES256').catch(refuseKey))
  imported.set(name, known)
  return known
}

/** RFC 7638: the members in this order, nothing between them; coordinates need no escaping. */
function computeThumbprint({ x, y }: PublicKey): string {
  return hash('sha256', `{"crv":"P-256","kty":"EC","x":"${x}","y":"${y}"}`, 'base64url')
}

function isCoordinate(value: unknown): value is string {
  return typeof value === 'string' && coordinate.test(value)
}

/** Port and TLS are compared only when known: proxies may drop the port of `Host` and terminate TLS. */
function isUrlOf(htu: unknown, { host, path, isSecure }: ProofTarget): boolean {
  if (typeof htu !== 'string' || !URL.canParse(htu)) return false
  const url = new URL(htu)
  const isScheme = url.protocol === 'https:' || (url.protocol === 'http:' && !isSecure)
  const asked = URL.parse(`${url.protocol}//${host}`)
  const hasPort = /:\d+$/.test(host)
  const isHost = url.hostname === asked?.hostname && (!hasPort || url.port === asked.port)
  return isScheme && isHost && url.pathname === path && url.username === '' && url.password === ''
}

function assertTime({ iat }: JWTPayload, nowMs: number): void {
  const now = nowMs / 1_000
  if (typeof iat !== 'number') throw invalidProof("Its 'iat' must be a number of seconds.")
  if (iat > now + proofAheadMax || iat < now - proofAgeMax) {
    throw invalidProof(`Its 'iat' ${describeDistance(iat, nowMs)}`)
  }
}

function invalidProof(why: string, cause?: unknown): Failure {
  const message = `The DPoP proof is not valid. ${why}`
  return new Failure('invalid_dpop_proof', message, { cause })
}

/** A nonce is valid for the rest of its window and for the next one; access tokens live one window by default. */
const windowMs = 10 * 60 * 1_000
const nonceChars = 22

/**
 * The nonces that a proof may have now, the current one first. Derived from the hash of the refresh token, so that none
 * is stored and a proof for one token is not valid for the next.
 */
export function deriveDpopNonces(
  { hash: tokenHash }: Pick<RefreshToken, 'hash'>,
  nowMs: number,
  digest: KeyedDigest,
): readonly [current: string, previous: string] {
  const window = Math.floor(nowMs / windowMs)
  const nonceOf = (number: number): string =>
    digest('dpop nonce', `${tokenHash} ${number}`).slice(0, nonceChars)
  return [nonceOf(window), nonceOf(window - 1)]
}
