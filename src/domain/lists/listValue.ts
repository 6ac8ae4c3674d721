/** Normalizes the values of list entries: numbers, addresses, domains, IP ranges, text. */

import { canonicalDomain, canonicalEmail } from '../evaluation/email.ts'
import { canonicalPhone } from '../evaluation/phone.ts'
import { ipNetwork } from '../network/ipNetwork.ts'
import type { ListKind } from './lists.ts'

/** Characters of a value of the kind `text`, counted as code points like all that the API takes. */
const textValueMax = 256

/** What stands on a list of a kind: how it is read, and how people are told of it. */
interface ValueForm {
  /** The canonical form; undefined when the text is none of the kind. */
  readonly read: (text: string) => string | undefined
  readonly expected: string
}

const forms: Readonly<Record<ListKind, ValueForm>> = {
  phone_number: {
    read: canonicalPhone,
    expected: 'a phone number in E.164 form, such as +15551234567',
  },
  email_address: { read: canonicalEmail, expected: 'an e-mail address, such as ann@example.com' },
  email_domain: { read: canonicalName, expected: 'a mail domain, such as example.com' },
  ip_range: {
    read: (text) => ipNetwork(text)?.text,
    expected: 'an address or a network, such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32',
  },
  text: {
    read: canonicalText,
    expected: `a text of 1 to ${textValueMax} characters without control characters`,
  },
}

/** The canonical form of a value of the kind, or undefined when it is none. */
export function canonicalValue(kind: ListKind, text: string): string | undefined {
  return forms[kind].read(text)
}

/** What a value of the kind must be. */
export function expectedValue(kind: ListKind): string {
  return forms[kind].expected
}

/** Characters of a domain as somebody may write it. */
const domainTextMax = 508

function canonicalName(text: string): string | undefined {
  return text.length > domainTextMax ? undefined : canonicalDomain(text.trim())
}

/** As it is written, in Unicode form NFC: capitals and blanks count. */
function canonicalText(text: string): string | undefined {
  // before it is brought into form, with two units of a code point and a mark beside each
  if (text.length > 4 * textValueMax || /\p{Cc}|\p{Surrogate}/u.test(text)) return undefined
  const value = text.normalize('NFC')
  const characters = [...value].length
  return characters > 0 && characters <= textValueMax ? value : undefined
}
