/** Normalizes email addresses and mail domains (spec 2.2): lower case, the domain in ASCII. */

import { domainToASCII, domainToUnicode } from 'node:url'
import { nameCharacter } from '../text/quoteText.ts'

const addressMaxBytes = 254
const localMaxBytes = 64
/**
 * Dots may stand anywhere but first: mobile carriers of Japan have given `a..b@` and `abc.@` away, which the standards
 * forbid.
 */
const localPattern = /^(?!\.)[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]+$/u
// checked first, because the conversion to ASCII reads its input as a URL's host and would accept `%62`, `/` and `#`
const writtenDomain = /^[\p{L}\p{M}\p{N}.。．｡-]+$/u
const oddInLocalPart = /[^\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]/u
const oddInDomain = /[^\p{L}\p{M}\p{N}.。．｡-]/u
const codedLabel = /(?:^|\.)xn--/
const asciiDomain =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * The canonical form of an address, or undefined when it is none. Both sides in lower case and Unicode form NFC, the
 * domain as IDNA writes it in ASCII. Not accepted: quoted local parts, comments, IP literals, domains of one label,
 * more than 64 bytes before the `@` or 254 in all. Dots and `+tags` stay: their meaning depends on the provider.
 */
export function normalizeEmail(text: string): string | undefined {
  if (text.length > 2 * addressMaxBytes) return undefined
  const written = text.trim()
  const at = written.lastIndexOf('@')
  const local = normalizeLocalPart(written.slice(0, Math.max(at, 0)))
  const domain = normalizeMailDomain(written.slice(at + 1))
  if (local === undefined || domain === undefined) return undefined
  const address = `${local}@${domain}`
  return Buffer.byteLength(address) <= addressMaxBytes ? address : undefined
}

/** What `normalizeEmail` takes, and why it does not take this text. */
export function describeEmailRefusal(text: string): string {
  return `Must be an e-mail address, such as ann@example.com; ${findEmailFault(text.trim())}.`
}

function findEmailFault(written: string): string {
  const at = written.lastIndexOf('@')
  if (at < 0) return 'this one has no @'
  const [local, domain] = [written.slice(0, at), written.slice(at + 1)]
  const odd = oddInLocalPart.exec(local)
  if (odd) return `this one has ${nameCharacter(odd[0])} before the @`
  if (local.startsWith('.')) return 'this one begins with a dot'
  if (normalizeLocalPart(local) === undefined) {
    return `this one must have 1 to ${localMaxBytes} bytes before the @`
  }
  return findDomainFault(domain) ?? `this one has more than ${addressMaxBytes} bytes`
}

/** What `normalizeMailDomain` takes, and why it does not take this text. */
export function describeMailDomainRefusal(text: string): string {
  const fault = findDomainFault(text.trim()) ?? 'this one is too long'
  return `Must be a mail domain, such as example.com; ${fault}.`
}

function findDomainFault(written: string): string | undefined {
  const odd = oddInDomain.exec(written)
  if (odd) return `this one has ${nameCharacter(odd[0])} in the domain`
  if (normalizeMailDomain(written) !== undefined) return undefined
  return /[.。．｡]/.test(written)
    ? 'this one has a label that no domain can have'
    : 'this one has a domain of one label'
}

/** The domain of a canonical address: the text after its `@`. */
export function extractMailDomain(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}

/** Domains of Gmail, which ignores dots before the `@`. */
const gmailDomains: ReadonlySet<string> = new Set(['gmail.com', 'googlemail.com'])

/** The mailbox of a canonical address, as far as it is told apart: without the `+tag`, at Gmail also without dots. */
export function toMailbox(address: string): string {
  const at = address.lastIndexOf('@')
  const tag = address.indexOf('+')
  const local = address.slice(0, tag > 0 && tag < at ? tag : Math.max(at, 0))
  const domain = extractMailDomain(address)
  return gmailDomains.has(domain) ? `${local.replaceAll('.', '')}@gmail.com` : `${local}@${domain}`
}

function normalizeLocalPart(written: string): string | undefined {
  const local = written.normalize('NFC').toLowerCase().normalize('NFC')
  return localPattern.test(local) && Buffer.byteLength(local) <= localMaxBytes ? local : undefined
}

/** The domain of an address in canonical form, or undefined when it is none. */
export function normalizeMailDomain(written: string): string | undefined {
  if (!writtenDomain.test(written)) return undefined
  const domain = domainToASCII(written)
  return asciiDomain.test(domain) && !hasInvalidLabel(domain) ? domain : undefined
}

/** Whether an `xn--` label is not valid: some versions of Node accept it in an ASCII domain. */
function hasInvalidLabel(domain: string): boolean {
  return domain.includes('xn--') && codedLabel.test(domainToUnicode(domain))
}
