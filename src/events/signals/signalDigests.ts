/** Computes the keyed digests by which signals and end users are counted once their values are erased. */

import { extractMailDomain, toMailbox } from '../../domain/evaluation/email.ts'
import { extractPhonePrefix } from '../../domain/evaluation/phone.ts'
import { parseAddress } from '../../domain/network/cidr.ts'
import type { EvaluatedTarget, Signals } from '../../domain/signals/signals.ts'
import { nonEmptyString } from '../recording/eventSchema.ts'
import { computeLookupDigests } from '../recording/lookupDigest.ts'
import type { Keyring } from '../recording/sealing.ts'

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

/** The digests of an account's signals; undefined when none of them is there. */
export function signalDigests(
  keyring: Pick<Keyring, 'subject'>,
  account: string,
  { ip = '', device_id, ja4_fingerprint }: Pick<Signals, 'ip' | 'device_id' | 'ja4_fingerprint'>,
) {
  const address = parseAddress(ip)
  const network = address?.network(address.version === 4 ? 24 : 64).text
  const values = { ip, network, device: device_id, ja4: ja4_fingerprint }
  return computeLookupDigests(keyring, account, values)
}

/** The digests of an account's end user; undefined when none of them is there. */
export function targetDigests(
  keyring: Pick<Keyring, 'subject'>,
  account: string,
  { phone_number, email_address }: EvaluatedTarget,
) {
  return computeLookupDigests(keyring, account, {
    mail_domain: email_address && extractMailDomain(email_address),
    mailbox: email_address && toMailbox(email_address),
    phone_prefix: phone_number && extractPhonePrefix(phone_number),
  })
}
