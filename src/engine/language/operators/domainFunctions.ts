/** Defines the functions of the domain: `inCidr`, `network`, `emailDomain`, `prefix`, `inList`. */

import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { lowerAscii } from '../values/text.ts'
import type { Value } from '../values/value.ts'
import { defineOperation, type Operation, type PreparedOperation } from './operation.ts'

const ofAddress = { canFail: true, isMemoized: true, chars: (size: number) => size }
const cidr = { canFail: true, needsLiteral: true, prepare: prepareCidr, id: 'inCidr' }

export const domainFunctions: readonly Operation[] = [
  defineOperation('inCidr(string, string): bool', () => undefined, cidr),
  defineOperation('inCidr(string, list<string>): bool', () => undefined, cidr),
  defineOperation('emailDomain(string): string', evaluateEmailDomain, ofAddress),
  defineOperation('network(string): string', evaluateNetwork, { canFail: true }),
  defineOperation('prefix(string, int): string', evaluatePrefix, {
    needsLiteral: true,
    chars: () => 2 * prefixMax,
    prepare: preparePrefix,
  }),
  // never applied: their answers are evidence, looked up by the text of the call
  defineOperation('phoneCountry(string): string', () => undefined, { canFail: true }),
  defineOperation('inList(string, string): bool', () => undefined, { canFail: true }),
]

function prepareCidr(literal: Value): PreparedOperation | string {
  const networks = Array.isArray(literal) ? (literal as readonly string[]) : [literal as string]
  const ranges: IpRange[] = []
  for (const network of networks) {
    const range = parseIpRange(network)
    if (typeof range === 'string') return range
    ranges.push(range)
  }
  return {
    apply: (text) => {
      const ip = parseCachedIp(text as string)
      return ip === undefined ? undefined : isInRanges(ip, ranges)
    },
    size: ranges.length,
  }
}

// many rules ask about the one address of a request
let lastText = ''
let lastIp: IpNumber | undefined

function parseCachedIp(text: string): IpNumber | undefined {
  if (text !== lastText) {
    lastIp = parseIpNumber(text)
    lastText = text
  }
  return lastIp
}

/** Forgets the address once no rule asks about it. */
export function forgetCachedIp(): void {
  lastText = ''
  lastIp = undefined
}

/** IPv4 as a number, IPv6 as a bigint. An IPv4-mapped IPv6 address (`::ffff:…`) is the IPv4 address. */
type IpNumber = number | bigint

interface IpRange {
  readonly first: IpNumber
  readonly last: IpNumber
}

/** The address in a text; undefined when the text is no address, or one with a zone. */
export function parseIpNumber(text: string): IpNumber | undefined {
  if (isIPv4(text)) return text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  if (!isIPv6(text) || text.includes('%')) return undefined
  const groups = ipaddr.IPv6.parse(text).parts.map((group) => group.toString(16).padStart(4, '0'))
  const number = BigInt(`0x${groups.join('')}`)
  return number >> 32n === 0xffffn ? Number(number & 0xffff_ffffn) : number
}

/** The range of a network like `10.0.0.0/8` or `2001:db8::/32`, or the problem with the text. */
export function parseIpRange(text: string): IpRange | string {
  const [address = '', bits = '', ...rest] = text.split('/')
  const first = parseIpNumber(address)
  if (first === undefined || rest.length > 0 || !/^\d{1,3}$/.test(bits)) {
    return `'${text}' is not a network like "10.0.0.0/8" or "2001:db8::/32"`
  }
  const isV4 = typeof first === 'number'
  const prefix = Number(bits) - (isV4 && address.includes(':') ? 96 : 0)
  const width = isV4 ? 32 : 128
  if (prefix < 0 || prefix > width) return `'${text}' has a prefix outside its address`
  const size = 1n << BigInt(width - prefix)
  if (BigInt(first) % size !== 0n) return `'${text}' has bits set beyond its prefix`
  return { first, last: isV4 ? first + Number(size) - 1 : first + size - 1n }
}

export function isInRanges(ip: IpNumber, ranges: readonly IpRange[]): boolean {
  for (const { first, last } of ranges) {
    if (typeof first === typeof ip && ip >= first && ip <= last) return true
  }
  return false
}

/** Bits of an IPv6 address that one customer of a provider is given. */
const customerBits = 64n

/** The network whose addresses one client can have: IPv4 as it is (`/32`), of IPv6 the `/64`. */
export function evaluateNetwork(text: string): string | undefined {
  const ip = parseIpNumber(text)
  if (ip === undefined) return undefined
  if (typeof ip === 'number')
    return `${ip >>> 24}.${(ip >>> 16) & 255}.${(ip >>> 8) & 255}.${ip & 255}/32`
  const digits = ((ip >> customerBits) << customerBits).toString(16).padStart(32, '0')
  const bytes = [...Buffer.from(digits, 'hex')]
  return `${new ipaddr.IPv6(bytes).toString()}/${customerBits}`
}

/** The first characters of a text; all of a shorter one. */
export function evaluatePrefix(text: string, chars: number): string {
  return [...text.slice(0, 2 * chars)].slice(0, chars).join('')
}

const prefixMax = 32

function preparePrefix(literal: Value): PreparedOperation | string {
  const chars = Number(literal)
  if (chars < 1 || chars > prefixMax) return `the length of a prefix is from 1 to ${prefixMax}`
  return { apply: (text) => evaluatePrefix(text as string, chars), size: chars }
}

const domainForm =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const addressMax = 320
const domainMax = 253

/** The text after the last `@`, in lower case; undefined unless the text is an address with a domain in ASCII. */
export function evaluateEmailDomain(address: string): string | undefined {
  if (address.length > addressMax) return undefined
  const at = address.lastIndexOf('@')
  if (at < 1 || address.length - at - 1 > domainMax) return undefined
  const domain = lowerAscii(address.slice(at + 1))
  return domainForm.test(domain) ? domain : undefined
}
