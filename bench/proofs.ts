/** Refreshes with DPoP proofs (RFC 9449) as browsers and phones ask for them. */

import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'

export interface ClientKey {
  readonly privateKey: KeyObject
  /** The head of its proofs, encoded. */
  readonly head: string
}

const refreshPath = '/v1/session/refresh'

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

/** A refresh of the session with this token, as it goes over the wire. */
export function refreshRequest(
  host: string,
  { token }: { readonly token: string },
  proof: string,
): Buffer {
  return Buffer.from(
    `POST ${refreshPath} HTTP/1.1\r\nHost: ${host}\r\nX-Refresh-Token: ${token}\r\nDPoP: ${proof}\r\nContent-Length: 0\r\n\r\n`,
  )
}

/** The value of a header of an answer. Throws when there is none. */
export function headerOf(answer: Buffer, name: string): string {
  const found = new RegExp(`\r\n${name}: (\\S+)`, 'i').exec(answer.toString('latin1'))?.[1]
  if (found === undefined) throw new Error(`an answer has no ${name}`)
  return found
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
