/** Derives and parses SDK keys (`vgp_…`), which are public and name an account. */

import type { KeyedDigest } from './refreshToken.ts'

const form = /^vgp_([0-9a-hjkmnp-tv-z]{26})_([0-9a-hjkmnp-tv-z]{26})_([\w-]{11})$/

/** Characters of the keyed digest in a key: 66 bits. */
const checkChars = 11

interface SdkKeyParts {
  readonly accountId: string
  readonly keyId: string
}

/**
 * The text of a key: `vgp_`, the ids of account and key without their prefixes, and a keyed check, so that a made-up
 * key is rejected without reading the log.
 */
export function deriveSdkKey({ accountId, keyId }: SdkKeyParts, digest: KeyedDigest): string {
  const check = digest('sdk key', `${accountId} ${keyId}`).slice(0, checkChars)
  return `vgp_${accountId.slice(4)}_${keyId.slice(4)}_${check}`
}

/** The ids in a key's text; undefined for a key that this installation did not make. */
export function parseSdkKey(text: string, digest: KeyedDigest): SdkKeyParts | undefined {
  const [, account, key] = form.exec(text) ?? []
  if (account === undefined || key === undefined) return undefined
  const parts = { accountId: `acc_${account}`, keyId: `sdk_${key}` }
  return deriveSdkKey(parts, digest) === text ? parts : undefined
}
