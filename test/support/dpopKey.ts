/** The key of a browser or a phone, and the proofs it makes (RFC 9449). */

import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'

export interface ProofClaims {
  readonly jti?: string
  readonly htm?: string
  readonly htu?: string
  readonly iat?: number
  readonly nonce?: string | undefined
}

export interface DpopKey {
  /** A proof of now for `POST`, unless the claims say otherwise. */
  readonly proof: (claims: ProofClaims) => string
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A new one. */
export function dpopKey(): DpopKey {
  const { privateKey: key, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' })
  const header = part({ typ: 'dpop+jwt', alg: 'ES256', jwk: { kty, crv, x, y } })
  return {
    proof: (claims) => {
      const iat = Math.floor(Date.now() / 1_000)
      const text = `${header}.${part({ jti: randomUUID(), htm: 'POST', iat, ...claims })}`
      const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
      return `${text}.${signature.toString('base64url')}`
    },
  }
}
