/** Derives Ed25519 keys and JWKs of applications from secrets (RFC 8032, RFC 8037). */

import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'

/** The DER prefix of a private key, followed by its 32-byte seed (RFC 8410, 7). */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex')
const seedBytes = 32

/** The private key of a secret. Throws when it has not 32 bytes. */
export function deriveSigningKey(secret: Uint8Array): KeyObject {
  if (secret.length !== seedBytes) throw new Error(`a signing key has ${seedBytes} bytes`)
  return createPrivateKey({ key: Buffer.concat([pkcs8, secret]), format: 'der', type: 'pkcs8' })
}

/** The public key of a secret, 43 characters of base64url. */
export function derivePublicKey(secret: Uint8Array): string {
  const { x } = createPublicKey(deriveSigningKey(secret)).export({ format: 'jwk' })
  if (x === undefined) throw new Error('a public key has no x')
  return x
}

/** A public key in a JWK set (RFC 7517, RFC 8037). */
export function buildPublicJwk(kid: string, x: string) {
  return { kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA', kid, x } as const
}
