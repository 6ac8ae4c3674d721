/** Computes keyed digests to find events by correlation id, IP or device id without clear text. */

import type { Keyring } from './sealing.ts'

/** What is looked up, beside persons: those are found by their subjects, see `Keyring`. */
export interface LookupValue {
  readonly kind: 'correlation_id' | 'ip' | 'device_id'
  /** Canonical. */
  readonly value: string
}

const chars = 22

/** 22 characters of base64url, of which nothing can be learned without the master key; the same for the same value of the account. */
export function computeLookupDigest(
  { digest }: Pick<Keyring, 'digest'>,
  account: string,
  { kind, value }: LookupValue,
): string {
  return digest(kind, JSON.stringify([account, value])).slice(0, chars)
}
