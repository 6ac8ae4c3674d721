/** Call tokens: by them a customer knows that it is Vigil which calls, on behalf of an application (RFC 7519, RFC 8037). */

import { hash } from 'node:crypto'
import { SignJWT } from 'jose'
import type { SigningPair } from './accessToken.ts'

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

/** The type that tells them from access tokens, which nobody may take for one another. */
const callTokenType = 'session-validation+jwt'
/** In seconds: the call is made at once. */
const callTokenLifetime = 60

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
