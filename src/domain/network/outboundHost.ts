/** Checks hosts and migration URLs that the service may call (SSRF): public, or listed. */

import ipaddr from 'ipaddr.js'
import { isInRange, isPublicIn } from './ipAddress.ts'

/** In characters. */
export const migrationUrlMax = 2_048

/** No more slashes before the host: `URL` would skip them. */
const form = /^https:\/\/(?!\/)[^\s\\\p{Cc}\p{Surrogate}]+$/iu

/** A host name, or a network, that the operator allows though it is not public. */
export type PrivateHost =
  | { readonly name: string }
  | { readonly network: ReturnType<typeof ipaddr.parseCIDR> }

/** The form that `parsePrivateHosts` reads, in words. */
export const privateHostsFormatHelp =
  'host names, IP addresses or networks such as 10.1.0.0/16, with commas between them'

/** The hosts of a comma-separated text; undefined when one is not valid. */
export function parsePrivateHosts(text: string): readonly PrivateHost[] | undefined {
  if (text.trim() === '') return []
  const hosts = text.split(',').map(parsePrivateHost)
  return hosts.every((host) => host !== undefined) ? hosts : undefined
}

function parsePrivateHost(text: string): PrivateHost | undefined {
  const given = text.trim().toLowerCase()
  if (ipaddr.isValidCIDR(given)) return { network: ipaddr.parseCIDR(given) }
  if (isAddress(given)) {
    const address = ipaddr.process(given)
    return { network: [address, address.kind() === 'ipv4' ? 32 : 128] as PrivateNetwork }
  }
  return nameForm.test(given) ? { name: given } : undefined
}

type PrivateNetwork = ReturnType<typeof ipaddr.parseCIDR>

const nameForm =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/
const ipv4Form = /^\d{1,3}(?:\.\d{1,3}){3}$/

/** IPv4 in four decimal numbers, or IPv6; the library accepts more forms. */
function isAddress(text: string): boolean {
  return ipv4Form.test(text) ? ipaddr.IPv4.isValid(text) : ipaddr.IPv6.isValid(text)
}

/**
 * Whether a host may be called, as `URL` gives it: a name in lower case and ASCII, IPv4 in four decimal numbers however
 * it was spelt, IPv6 in brackets. Refused are names of private networks and of the local machine, and addresses outside
 * the public Internet, IPv4-mapped ones included. A name does not show its address: check that once it is resolved.
 */
export function isOutboundHostAllowed(hostname: string, allowed: readonly PrivateHost[]): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '')
  if (!isAddress(host))
    return isPublicName(host) || allowed.some((one) => 'name' in one && one.name === host)
  const address = ipaddr.process(host)
  return (
    (isPublicIn(unicast, address) && address.toString() !== metadata) ||
    allowed.some((one) => 'network' in one && isInRange(address, one.network))
  )
}

const unicast = new Set(['unicast'])
// the metadata service of a cloud has a public address
const metadata = '168.63.129.16'

/** Ends of names that belong to no public zone (RFC 6761, 6762, 8375; `internal` is reserved by ICANN). */
const privateZones = [
  'localhost',
  'local',
  'internal',
  'home.arpa',
  'lan',
  'intranet',
  'corp',
  'home',
]

function isPublicName(name: string): boolean {
  return name.includes('.') && !privateZones.some((zone) => name.endsWith(`.${zone}`))
}

/** The problem of a migration URL, in a sentence; `allowed` are hosts that need not be public. */
export function findMigrationUrlProblem(
  text: string,
  allowed: readonly PrivateHost[],
): string | undefined {
  if (text.length > migrationUrlMax) return `Must be at most ${migrationUrlMax} characters long.`
  if (!form.test(text) || !URL.canParse(text)) return 'Must be an HTTPS URL.'
  const { hostname, port, username, password } = new URL(text)
  const [authority = ''] = text.slice('https://'.length).split(/[/?#]/, 1)
  if (username || password || authority.includes('@')) {
    return 'Must have no user name and no password.'
  }
  if (text.includes('#')) return 'Must have no fragment: it would never be sent.'
  if (port === '0') return 'Must have a port from 1 to 65535, or none.'
  if (!isOutboundHostAllowed(hostname, allowed)) return 'Must name a host of the public Internet.'
  return undefined
}
