/** Reads the client's address, country and JA4 from the connection or trusted proxies' headers. */

import type { IncomingMessage } from 'node:http'
import { toClientNetwork } from '../../domain/network/ipAddress.ts'
import { countHeaderLines } from './requestHeaders.ts'

/** What the proxies in front of the service tell of a connection. */
export interface TrustedProxies {
  /** How many there are; their headers are believed. */
  readonly trustedProxies: number
  /** The header in which one of them tells the country, in lower case; none does unless given. */
  readonly countryHeader?: string | undefined
  /** The header in which the one that ends TLS tells the JA4 fingerprint, in lower case; none does unless given. */
  readonly ja4Header?: string | undefined
}

/** An address and a port, as some proxies write them. */
const withPort = /^(?:(\d{1,3}(?:\.\d{1,3}){3})|\[([0-9A-Fa-f:.]+)\])(?::\d{1,5})?$/

/**
 * The address that the outermost trusted proxy saw: with n trusted proxies, the n-th from the end of `X-Forwarded-For`,
 * to which each proxy appends. Earlier entries can be forged by the client. Undefined when the list is shorter, since
 * the request then bypassed a configured proxy. Without proxies, the address of the connection.
 */
export function readClientIp(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  { trustedProxies }: TrustedProxies,
): string | undefined {
  if (trustedProxies === 0) return socket.remoteAddress
  const address =
    String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .at(-trustedProxies)
      ?.trim() ?? ''
  const [, v4, v6] = withPort.exec(address) ?? []
  return v4 ?? v6 ?? (address === '' ? undefined : address)
}

/** Characters of an address that are looked at: what a proxy passes on may be anything. */
const addressMax = 128

/** The network of the client, by which its requests are counted; that of the connection when the proxies name none. */
export function readClientNetwork(req: IncomingMessage, proxies: TrustedProxies): string {
  const address = readClientIp(req, proxies) ?? req.socket.remoteAddress ?? ''
  return toClientNetwork(address.slice(0, addressMax))
}

/** Codes that proxies send for an unknown country (not assigned in ISO 3166). */
const unknownCountries = ['XX', 'ZZ']

/** The country of a user's connection in two upper-case letters (spec 2.9); undefined without a trusted header. */
export function readConnectionCountry(
  req: IncomingMessage,
  proxies: TrustedProxies,
): string | undefined {
  const country = readProxyHeader(req, proxies, 'countryHeader')?.trim().toUpperCase() ?? ''
  return /^[A-Z]{2}$/.test(country) && !unknownCountries.includes(country) ? country : undefined
}

/** The forms of JA4, raw ones left out. */
const ja4 = /^[A-Za-z0-9_-]{1,64}$/

/** The JA4 fingerprint of the connection; undefined without a trusted header. */
export function readJa4Fingerprint(
  req: IncomingMessage,
  proxies: TrustedProxies,
): string | undefined {
  const fingerprint = readProxyHeader(req, proxies, 'ja4Header') ?? ''
  return ja4.test(fingerprint) ? fingerprint : undefined
}

/** The value of a header set by a trusted proxy; undefined when sent twice: only one of them is the proxy's. */
function readProxyHeader(
  { rawHeaders, headers }: IncomingMessage,
  { trustedProxies, ...names }: TrustedProxies,
  header: 'countryHeader' | 'ja4Header',
): string | undefined {
  const name = trustedProxies === 0 ? undefined : names[header]
  if (name === undefined || countHeaderLines(rawHeaders, name) !== 1) return undefined
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}
