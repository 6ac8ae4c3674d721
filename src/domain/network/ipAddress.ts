/** Normalizes public IP addresses (spec 2.3), checks ranges, and finds a client's network. */

import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export type IpAddress = ReturnType<typeof ipaddr.process>

// 6to4 and Teredo addresses belong to real devices
const deviceRanges: ReadonlySet<string> = new Set(['unicast', '6to4', 'teredo'])
/** Ranges for examples and tests, which count as public. */
const documentationRanges = [
  '192.0.2.0/24',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '2001:db8::/32',
].map((range) => ipaddr.parseCIDR(range))
// zones are local, and the library misreads `::1.2.3.4` as IPv4
const notPublicForm = /%|^::\d+\./
const globalUnicastV6 = ipaddr.parseCIDR('2000::/3')

/**
 * The canonical text of a public address, or undefined when it is not an address or not public: IPv4 as four decimal
 * numbers, IPv6 as in RFC 5952, an IPv4-mapped IPv6 address (`::ffff:…`) as IPv4. Addresses of the documentation ranges
 * count as public.
 */
export function normalizePublicIp(text: string): string | undefined {
  if (isIP(text) === 0 || notPublicForm.test(text)) return undefined
  const address = ipaddr.process(text)
  return isPublicIn(deviceRanges, address) ? address.toString() : undefined
}

/** Whether a network such as `10.0.0.0/8` has no public address. Throws for text that is no network. */
export function isPrivateNetwork(network: string): boolean {
  const version = network.includes(':') ? ipaddr.IPv6 : ipaddr.IPv4
  const ends = [
    version.networkAddressFromCIDR(network).toString(),
    version.broadcastAddressFromCIDR(network).toString(),
  ]
  // a network with ends in two ranges may contain public addresses between them
  const ranges = new Set(ends.map((end) => ipaddr.process(end).range()))
  return ranges.size === 1 && ends.every((end) => normalizePublicIp(end) === undefined)
}

/** Whether the address is public, of IPv6 in these ranges; those of the documentation ranges count as public. */
export function isPublicIn(rangesV6: ReadonlySet<string>, address: IpAddress): boolean {
  if (documentationRanges.some((range) => isInRange(address, range))) return true
  const range = address.range()
  return address.kind() === 'ipv4'
    ? range === 'unicast'
    : rangesV6.has(range) && address.match(globalUnicastV6)
}

/** Whether the address is in the range; false for another IP version. */
export function isInRange(address: IpAddress, range: ReturnType<typeof ipaddr.parseCIDR>): boolean {
  return range[0].kind() === address.kind() && address.match(range)
}

/** Bits of an IPv6 address that a provider assigns to one customer. */
const customerBits = 64

/** The network of a client able to choose among addresses: IPv4 address, or /64 of IPv6; other text as it is. */
export function toClientNetwork(text: string): string {
  if (isIP(text) === 0 || text.includes('%')) return text
  const address = ipaddr.process(text)
  if (address.kind() === 'ipv4') return address.toString()
  const network = address.toByteArray().slice(0, customerBits / 8)
  return `${Buffer.from(network).toString('hex')}/${customerBits}`
}
