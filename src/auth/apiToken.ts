/** Makes, parses and compares API tokens (`vgl_…`); only a hash of the secret is stored. */

import { hash, timingSafeEqual } from 'node:crypto'
import type { Random } from '../domain/clock.ts'

/** `vgl_`, the account's and the token's id without their prefixes, the secret (32 bytes in base64url). */
const form = /^vgl_([0-9a-hjkmnp-tv-z]{26})_([0-9a-hjkmnp-tv-z]{26})_([A-Za-z0-9_-]{43})$/

const secretBytes = 32

export interface ApiTokenParts {
  readonly accountId: string
  readonly tokenId: string
  readonly secret: string
}

/** A new token of these ids: its text and the hash to store. */
export function makeApiToken(
  accountId: string,
  tokenId: string,
  random: Random,
): { readonly text: string; readonly hash: string } {
  const secret = Buffer.from(random.bytes(secretBytes)).toString('base64url')
  const text = `vgl_${accountId.slice(4)}_${tokenId.slice(4)}_${secret}`
  return { text, hash: hashSecret(secret) }
}

/** The parts of a token's text; undefined when it does not have the form of one. */
export function parseApiToken(text: string): ApiTokenParts | undefined {
  const parts = form.exec(text)
  const [, account, token, secret] = parts ?? []
  if (account === undefined || token === undefined || secret === undefined) return undefined
  return { accountId: `acc_${account}`, tokenId: `tok_${token}`, secret }
}

/** SHA-256 in hexadecimal; enough for a secret of 256 random bits. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** Whether the secret has this hash, in constant time. */
export function secretMatches(secret: string, storedHash: string): boolean {
  const own = Buffer.from(hashSecret(secret))
  const stored = Buffer.from(storedHash)
  return stored.length === own.length && timingSafeEqual(own, stored)
}
