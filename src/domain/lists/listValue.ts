/** Normalizes the values of list entries: numbers, addresses, domains, IP ranges, text. */

import { normalizeEmail, normalizeMailDomain } from '../evaluation/email.ts'
import { normalizePhone } from '../evaluation/phone.ts'
import { parseIpNetwork } from '../network/cidr.ts'
import type { ListKind } from './lists.ts'

/** Characters of a value of the kind `text`, counted as code points like all that the API takes. */
const textValueMax = 256

/** The form of a kind's values, with its description. */
interface ValueForm {
  /** The canonical form; undefined when the text is not of the kind. */
  readonly read: (text: string) => string | undefined
  readonly expected: string
}

const forms: Readonly<Record<ListKind, ValueForm>> = {
  phone_number: {
    read: normalizePhone,
    expected: 'a phone number in E.164 form, such as +15551234567',
  },
  email_address: { read: normalizeEmail, expected: 'an e-mail address, such as ann@example.com' },
  email_domain: { read: normalizeDomain, expected: 'a mail domain, such as example.com' },
  ip_range: {
    read: (text) => parseIpNetwork(text)?.text,
    expected: 'an address or a network, such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32',
  },
  text: {
    read: normalizeText,
    expected: `a text of 1 to ${textValueMax} characters without control characters`,
  },
}

/** The canonical form of a value of the kind, or undefined when it is none. */
export function normalizeListValue(kind: ListKind, text: string): string | undefined {
  return forms[kind].read(text)
}

/** What a value of the kind must be. */
export function describeValueForm(kind: ListKind): string {
  return forms[kind].expected
}

/** Characters of a domain before normalization. */
const domainTextMax = 508

function normalizeDomain(text: string): string | undefined {
  return text.length > domainTextMax ? undefined : normalizeMailDomain(text.trim())
}

/** In Unicode form NFC; case and spaces count. */
function normalizeText(text: string): string | undefined {
  // before normalization, at most two units and one mark for each code point
  if (text.length > 4 * textValueMax || /\p{Cc}|\p{Surrogate}/u.test(text)) return undefined
  const value = text.normalize('NFC')
  const characters = [...value].length
  return characters > 0 && characters <= textValueMax ? value : undefined
}
