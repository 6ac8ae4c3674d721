/** Checks whether an IP address is in a network; networks are parsed once. */

import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** IPv4 as one number, IPv6 as eight groups. An IPv4-mapped IPv6 address (`::ffff:…`) is the IPv4 address. */
export type IpNumber = number | readonly number[]

export interface IpRange {
  readonly first: IpNumber
  readonly last: IpNumber
}

/** The address a text writes; undefined when it writes none, or one with a zone. */
export function ipNumber(text: string): IpNumber | undefined {
  const v4 = ipv4Number(text)
  if (v4 !== undefined) return v4
  if (!isIPv6(text) || text.includes('%')) return undefined
  const groups = ipaddr.IPv6.parse(text).parts
  return isMapped(groups) ? (groups[6] ?? 0) * 65_536 + (groups[7] ?? 0) : groups
}

/** The range of a network like `10.0.0.0/8` or `2001:db8::/32`, or the problem with the text. */
export function ipRange(text: string): IpRange | string {
  const [address = '', bits = '', ...rest] = text.split('/')
  const number = ipNumber(address)
  if (number === undefined || rest.length > 0 || !/^\d{1,3}$/.test(bits)) {
    return `'${text}' is not a network like "10.0.0.0/8" or "2001:db8::/32"`
  }
  const mapped = typeof number === 'number' && address.includes(':')
  const prefix = Number(bits) - (mapped ? 96 : 0)
  const width = typeof number === 'number' ? 32 : 128
  if (prefix < 0 || prefix > width) return `'${text}' has a prefix outside its address`
  const range = typeof number === 'number' ? rangeV4(number, prefix) : rangeV6(number, prefix)
  return sameIp(range.first, number) ? range : `'${text}' has bits set beyond its prefix`
}

/** Whether one of the ranges contains the address. */
export function inRanges(ip: IpNumber, ranges: readonly IpRange[]): boolean {
  for (const range of ranges) {
    if (typeof ip === 'number') {
      if (typeof range.first === 'number' && ip >= range.first && ip <= (range.last as number)) {
        return true
      }
    } else if (typeof range.first !== 'number' && between(ip, range)) return true
  }
  return false
}

// a leading zero once meant octal, so it means nothing here
const v4Part = /^(?:0|[1-9][0-9]{0,2})$/

function ipv4Number(text: string): number | undefined {
  const parts = text.length > 15 ? [] : text.split('.')
  if (parts.length !== 4) return undefined
  let value = 0
  for (const part of parts) {
    const byte = v4Part.test(part) ? Number(part) : 256
    if (byte > 255) return undefined
    value = value * 256 + byte
  }
  return value
}

function isMapped(groups: readonly number[]): boolean {
  return groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0)
}

function rangeV4(number: number, prefix: number): IpRange {
  const size = 2 ** (32 - prefix)
  const first = number - (number % size)
  return { first, last: first + size - 1 }
}

function rangeV6(groups: readonly number[], prefix: number): IpRange {
  const mask = groups.map((_, index) => {
    const free = Math.min(16, Math.max(0, 16 * (index + 1) - prefix))
    return 2 ** free - 1
  })
  return {
    first: groups.map((group, index) => group & ~(mask[index] ?? 0)),
    last: groups.map((group, index) => group | (mask[index] ?? 0)),
  }
}

function sameIp(a: IpNumber, b: IpNumber): boolean {
  return String(a) === String(b)
}

function between(groups: readonly number[], { first, last }: IpRange): boolean {
  const low = first as readonly number[]
  const high = last as readonly number[]
  return groups.every((group, index) => group >= (low[index] ?? 0) && group <= (high[index] ?? 0))
}
