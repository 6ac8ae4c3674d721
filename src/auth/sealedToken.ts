/** Seals API tokens for the cookies of the console, and opens them until they expire. */

import { createCipheriv, createDecipheriv } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

interface Sealing {
  /** 32 bytes, which only the instances of this installation have. */
  readonly key: Uint8Array
  readonly random: (count: number) => Uint8Array
}

/** The token and the end of its use, so that only the holder of the key can read or change them. */
export function sealToken(token: string, untilMs: number, { key, random }: Sealing): string {
  const nonce = random(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce)
  const text = Buffer.concat([cipher.update(`${untilMs} ${token}`, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, text, cipher.getAuthTag()]).toString('base64url')
}

/** The token; undefined for what was not sealed with the key, or is over. */
export function openToken(sealed: string, key: Uint8Array, nowMs: number): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  const text = bytes.length > nonceBytes + tagBytes ? tryDecrypt(bytes, key) : undefined
  const [until, token] = text?.split(' ') ?? []
  return Number(until) > nowMs ? token : undefined
}

function tryDecrypt(bytes: Buffer, key: Uint8Array): string | undefined {
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes))
  decipher.setAuthTag(bytes.subarray(-tagBytes))
  try {
    const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes))
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
