/** Computes keyed digests to find and count events by values such as IP or device id without clear text. */

import type { Keyring } from './sealing.ts'

/** What is looked up and counted by, beside persons: those are found by their subjects, see `Keyring`. */
type LookupKind =
  | 'correlation_id'
  | 'ip'
  | 'network'
  | 'device'
  | 'ja4'
  | 'mail_domain'
  | 'mailbox'
  | 'phone_prefix'

export interface LookupValue {
  readonly kind: LookupKind
  /** Canonical. */
  readonly value: string
}

/** 96 bits: among a billion values of an account two have one digest with a probability of 1 to 10^11. */
const chars = 16

/** 16 characters of base64url, of which nothing can be learned without the master key; the same for the same value of the account. */
export function computeLookupDigest(
  { subject }: Pick<Keyring, 'subject'>,
  account: string,
  { kind, value }: LookupValue,
): string {
  return subject(account, `lookup ${kind}`, value).slice(0, chars)
}

/** The digests of the values that are there and not empty, by their kinds; undefined when none is. */
export function computeLookupDigests<Kind extends LookupKind>(
  keyring: Pick<Keyring, 'subject'>,
  account: string,
  values: Readonly<Record<Kind, string | undefined>>,
): { readonly [One in Kind]?: string } | undefined {
  const digests: Partial<Record<Kind, string>> = {}
  let isEmpty = true
  for (const kind in values) {
    const value = values[kind] ?? ''
    if (value === '') continue
    digests[kind] = computeLookupDigest(keyring, account, { kind, value })
    isEmpty = false
  }
  return isEmpty ? undefined : digests
}
