/** Parses IP networks (CIDR), and computes the network of an address for a prefix length. */

import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { nameCharacter } from '../text/quoteText.ts'

export interface IpNetwork {
  /** `203.0.113.0/24`, `2001:db8::/32`; of a single address the address alone. */
  readonly text: string
  /** Bits of the prefix: 1 to 32 for IPv4, 1 to 128 for IPv6. */
  readonly prefix: number
  readonly version: 4 | 6
}

const longestText = 49

/**
 * The network in a text: an address, with or without the length of a prefix; undefined for any other text, for bits set
 * beyond the prefix, and for the network of all addresses. An IPv4-mapped IPv6 address (`::ffff:…`) is the IPv4
 * address.
 */
export function parseIpNetwork(text: string): IpNetwork | undefined {
  const read = readIpNetwork(text)
  return typeof read === 'string' ? undefined : read
}

/** What `parseIpNetwork` takes, and why it does not take this text. */
export function describeNetworkRefusal(text: string): string {
  const form = 'an address or a network, such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32'
  return `Must be ${form}; ${readIpNetwork(text)}.`
}

/** The network, or what is wrong with the text. */
function readIpNetwork(text: string): IpNetwork | string {
  const odd = /[^0-9a-fA-F.:/]/u.exec(text.trim())
  if (odd) return `this one has ${nameCharacter(odd[0])}`
  const [written = '', bits, ...rest] = text.trim().split('/')
  const address = text.length > longestText ? undefined : parseAddress(written)
  if (!address) return 'this one has no address'
  const width = addressBits(address.version)
  const mappedBits = address.version === 4 && written.includes(':') ? 96 : 0
  const prefix = bits === undefined ? width : Number(bits) - mappedBits
  const isPrefix = rest.length === 0 && (bits === undefined || /^[1-9]\d{0,2}$/.test(bits))
  if (!isPrefix || prefix < 1 || prefix > width) {
    return `its prefix must be ${1 + mappedBits} to ${width + mappedBits}`
  }
  const network = address.network(prefix)
  if (network.text.split('/', 1)[0] === address.network(width).text) return network
  return `this one has bits beyond its prefix: the network is ${network.text}`
}

/** An address whose networks are looked up. */
export interface ParsedAddress {
  readonly version: IpNetwork['version']
  /** The network of this prefix that contains the address. */
  readonly network: (prefix: number) => IpNetwork
}

/** The address in a text; undefined for other texts and for an address with a zone. */
export function parseAddress(text: string): ParsedAddress | undefined {
  if (isIP(text) === 0 || text.includes('%')) return undefined
  const address = ipaddr.process(text)
  const version = address.kind() === 'ipv4' ? 4 : 6
  const parts = 'parts' in address ? address.parts : address.octets
  return { version, network: (prefix) => buildNetwork(parts, version, prefix) }
}

/** The longest prefix of the version's addresses. */
export function addressBits(version: IpNetwork['version']): number {
  return version === 4 ? 32 : 128
}

function buildNetwork(
  parts: readonly number[],
  version: IpNetwork['version'],
  prefix: number,
): IpNetwork {
  const width = addressBits(version)
  const bits = width / parts.length
  const masked = parts.map((part, index) => {
    const free = Math.min(bits, Math.max(0, bits * (index + 1) - prefix))
    return part & (-1 << free)
  })
  // faster than parsing and masking the text by the library: a list of networks is looked up for every prefix it
  // contains
  const first = version === 4 ? masked.join('.') : new ipaddr.IPv6(masked).toString()
  return { text: prefix === width ? first : `${first}/${prefix}`, prefix, version }
}
