/** Normalizes the values of list entries: numbers, addresses, domains, IP ranges, text. */

import {
  describeEmailRefusal,
  describeMailDomainRefusal,
  normalizeEmail,
  normalizeMailDomain,
} from '../evaluation/email.ts'
import { describePhoneRefusal, normalizePhone, normalizeStoredPhone } from '../evaluation/phone.ts'
import { describeNetworkRefusal, parseIpNetwork } from '../network/cidr.ts'
import { nameCharacter } from '../text/quoteText.ts'
import type { ListKind } from './lists.ts'

const oddInText = /\p{Cc}|\p{Surrogate}/u

/** Characters of a value of the kind `text`, counted as code points like all that the API takes. */
const textValueMax = 256

interface ValueForm {
  /** The canonical form; undefined when the text is not of the kind. */
  readonly read: (text: string) => string | undefined
  /** What a value must be, and why this text is none. */
  readonly describeRefusal: (text: string) => string
}

const forms: Readonly<Record<ListKind, ValueForm>> = {
  phone_number: { read: normalizePhone, describeRefusal: describePhoneRefusal },
  email_address: { read: normalizeEmail, describeRefusal: describeEmailRefusal },
  email_domain: { read: normalizeDomain, describeRefusal: describeMailDomainRefusal },
  ip_range: {
    read: (text) => parseIpNetwork(text)?.text,
    describeRefusal: describeNetworkRefusal,
  },
  text: { read: normalizeText, describeRefusal: describeTextRefusal },
}

/** The canonical form of a value of the kind, or undefined when it is none. */
export function normalizeListValue(kind: ListKind, text: string): string | undefined {
  return forms[kind].read(text)
}

/** Same for a value that may have been stored by a service with an earlier table of numbers. */
export function normalizeStoredListValue(kind: ListKind, text: string): string | undefined {
  return kind === 'phone_number' ? normalizeStoredPhone(text) : normalizeListValue(kind, text)
}

/** What a value of the kind must be, and why this text is none. */
export function describeValueRefusal(kind: ListKind, text: string): string {
  return forms[kind].describeRefusal(text)
}

function describeTextRefusal(text: string): string {
  const odd = oddInText.exec(text)
  const fault = odd ? `; this one has ${nameCharacter(odd[0])}` : ''
  return `Must be a text of 1 to ${textValueMax} characters without control characters${fault}.`
}

/** Characters of a domain before normalization. */
const domainTextMax = 508

function normalizeDomain(text: string): string | undefined {
  return text.length > domainTextMax ? undefined : normalizeMailDomain(text.trim())
}

/** In Unicode form NFC; case and spaces count. */
function normalizeText(text: string): string | undefined {
  // before normalization, at most two units and one mark for each code point
  if (text.length > 4 * textValueMax || oddInText.test(text)) return undefined
  const value = text.normalize('NFC')
  const characters = [...value].length
  return characters > 0 && characters <= textValueMax ? value : undefined
}
