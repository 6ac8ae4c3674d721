/** Computes keyed digests by which events are found and counted without clear text. */

import { extractMailDomain, toMailbox } from '../../domain/evaluation/email.ts'
import { extractPhonePrefix } from '../../domain/evaluation/phone.ts'
import { parseAddress } from '../../domain/network/cidr.ts'
import type { EvaluatedTarget, Signals } from '../../domain/signals/signals.ts'
import { nonEmptyString } from './eventSchema.ts'
import type { Keyring } from './sealing.ts'

/** Of signals: address, its /24 (IPv4) or /64 (IPv6), device id and JA4 fingerprint; absent ones were not sent. */
export const signalDigestFields = {
  ip: nonEmptyString,
  network: nonEmptyString,
  device: nonEmptyString,
  ja4: nonEmptyString,
} as const
/** Of an end user: mail domain, mailbox, and calling code with four digits. */
export const targetDigestFields = {
  mail_domain: nonEmptyString,
  mailbox: nonEmptyString,
  phone_prefix: nonEmptyString,
} as const

/** What is looked up and counted by, beside persons: those are found by their subjects, see `Keyring`. */
type LookupKind =
  | keyof typeof signalDigestFields
  | keyof typeof targetDigestFields
  | 'correlation_id'
  | 'counter_key'
  | 'counter_value'

export interface LookupValue {
  readonly kind: LookupKind
  /** Canonical. */
  readonly value: string
}

type DigestKeyring = Pick<Keyring, 'subject'>

/** 96 bits: among a billion values of an account two have one digest with a probability of 1 to 10^11. */
const chars = 16

/**
 * 16 characters of base64url, of which nothing can be learned without the master key; the same for the same value of
 * the account.
 */
export function computeLookupDigest(
  { subject }: DigestKeyring,
  account: string,
  { kind, value }: LookupValue,
): string {
  return subject(account, `lookup ${kind}`, value).slice(0, chars)
}

/** The digests of an account's signals; undefined when none of them is there. */
export function signalDigests(
  keyring: DigestKeyring,
  account: string,
  { ip, device_id, ja4_fingerprint }: Pick<Signals, 'ip' | 'device_id' | 'ja4_fingerprint'>,
) {
  const values = { ip, network: ip && toNetwork(ip), device: device_id, ja4: ja4_fingerprint }
  return computeAll(keyring, account, values)
}

/** The digests of an account's end user; undefined when none of them is there. */
export function targetDigests(
  keyring: DigestKeyring,
  account: string,
  { phone_number, email_address }: EvaluatedTarget,
) {
  return computeAll(keyring, account, {
    mail_domain: email_address && extractMailDomain(email_address),
    mailbox: email_address && toMailbox(email_address),
    phone_prefix: phone_number && extractPhonePrefix(phone_number),
  })
}

/** Of those that are there and not empty, by their kinds. */
function computeAll<Kind extends LookupKind>(
  keyring: DigestKeyring,
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

function toNetwork(ip: string): string | undefined {
  const address = parseAddress(ip)
  return address?.network(address.version === 4 ? 24 : 64).text
}
