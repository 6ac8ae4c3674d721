/** DPoP proofs (RFC 9449) as browsers and phones make them. */

import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'

export interface ClientKey {
  readonly privateKey: KeyObject
  /** The head of its proofs, encoded. */
  readonly head: string
}

export const refreshPath = '/v1/session/refresh'

/** A new one (P-256). */
export function newClientKey(): ClientKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' })
  const head = encoded({ typ: 'dpop+jwt', alg: 'ES256', jwk: { kty, crv, x, y } })
  return { privateKey, head }
}

/** A proof of now for a refresh at this host, with the nonce that was given. */
export function proofBy(
  { privateKey: key, head }: ClientKey,
  host: string,
  nonce?: string,
): string {
  const iat = Math.floor(Date.now() / 1_000)
  const htu = `http://${host}${refreshPath}`
  const text = `${head}.${encoded({ jti: randomUUID(), htm: 'POST', htu, iat, nonce })}`
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
