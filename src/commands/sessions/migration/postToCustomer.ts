/** Posts JSON to the URL of a customer; connects only to addresses checked before (SSRF). */

import { isUtf8 } from 'node:buffer'
import { lookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { type RequestOptions, request } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isOutboundHostAllowed, type PrivateHost } from '../../../domain/network/outboundHost.ts'

/** How long all of it may take: the look-up of the name, the connection, the answer to its end. */
const answerMs = 2_000
/** Of the body of the answer, and of its headers. */
const bodyMax = 64 * 1024
const headersMax = 16 * 1024
/** Announcements (1xx) before the answer. */
const announcedMax = 8

export interface CustomerPostOptions {
  /** The header `Authorization`; none unless given. */
  readonly authorization?: string | undefined
  /** Hosts that may be called though they are not public. */
  readonly allowedHosts: readonly PrivateHost[]
  /** Certificates that are trusted, in PEM; those of the process unless given. */
  readonly certificates?: string | undefined
  /** Finds all addresses of a public name; name servers are asked unless given. */
  readonly findAddresses?: ResolveAddresses | undefined
}

/** Rejects when there is none, and gives up when the signal says so. */
export type ResolveAddresses = (name: string, signal: AbortSignal) => Promise<readonly string[]>

export interface CustomerResponse {
  readonly status: number
  /** The body; undefined when it has a problem. */
  readonly text?: string
  readonly problem?: 'too_large' | 'no_text'
}

/** The URL was not called, since its address is forbidden. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress'
}

function codedError(code: 'closed' | 'announcements'): Error {
  return Object.assign(new Error(code), { code })
}

/**
 * The answer, whatever its status; redirects are never followed. The addresses are checked once they are known, and the
 * connection is made to one of just these, so that another answer of the name server a moment later changes nothing.
 * Rejects with `ForbiddenAddress`, and with an `Error` when there is no whole answer in time.
 */
export async function postToCustomer(
  url: string,
  body: string,
  options: CustomerPostOptions,
): Promise<CustomerResponse> {
  const { allowedHosts: allowed, certificates, authorization } = options
  const { hostname } = new URL(url)
  if (!isOutboundHostAllowed(hostname, allowed)) throw new ForbiddenAddress(hostname)
  const isNamed = allowed.some((one) => 'name' in one && one.name === hostname)
  const signal = AbortSignal.timeout(answerMs)
  return post(url, body, {
    signal,
    // whom the operator names is found as the operator's machine finds it, and may be anywhere
    ...(!isNamed && { lookup: buildCheckedLookup(options, signal) }),
    ...(certificates !== undefined && { ca: certificates }),
    headers: { ...(authorization !== undefined && { Authorization: authorization }) },
  })
}

/**
 * All addresses of a name have to be good ones: which of them is connected to is not for its name server to choose. The
 * system's look-up is not used: each that is slow holds a thread which files and databases need.
 */
function buildCheckedLookup(
  { allowedHosts: allowed, findAddresses = askNameServers }: CustomerPostOptions,
  signal: AbortSignal,
): LookupFunction {
  const find = async (name: string) => {
    const addresses = await findAddresses(name, signal)
    const isGood = (address: string) =>
      isIP(address) !== 0 && isOutboundHostAllowed(address, allowed)
    if (!addresses.every(isGood)) throw new ForbiddenAddress(name)
    return addresses.map((address) => ({ address, family: isIP(address) }))
  }
  return (name, { all }, callback) => {
    find(name).then(
      (found) => {
        const [first] = found
        if (!first) callback(new Error(`${name} has no address`), '')
        else if (all) callback(null, found)
        else callback(null, first.address, first.family)
      },
      (error: Error) => callback(error, ''),
    )
  }
}

const askNameServers: ResolveAddresses = async (name, signal) => {
  const resolver = new Resolver({ timeout: answerMs / 2, tries: 2 })
  // slow servers, one after the other, would be asked long after the deadline
  signal.addEventListener('abort', () => resolver.cancel(), { once: true })
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  const [first] = found
  if (addresses.length === 0 && first.status === 'rejected') throw first.reason
  return addresses
}

interface Outgoing extends Pick<RequestOptions, 'lookup' | 'ca'> {
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

function post(
  url: string,
  body: string,
  { headers, ...options }: Outgoing,
): Promise<CustomerResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      lookup,
      ...options,
      method: 'POST',
      // a reused connection could lead to an address that is not checked again
      agent: false,
      maxHeaderSize: headersMax,
      headers: {
        ...headers,
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        Accept: 'application/json',
        'User-Agent': 'Vigil',
      },
    })
    let isAnswered = false
    outgoing.on('error', reject)
    outgoing.on('close', () => {
      // the change to another protocol ends the connection without an error
      if (!isAnswered) reject(codedError('closed'))
    })
    limitAnnouncements(outgoing)
    outgoing.on('response', (incoming) => {
      isAnswered = true
      readAnswer(incoming).then(resolve, (error: unknown) => {
        reject(error)
        outgoing.destroy()
      })
    })
    outgoing.end(body)
  })
}

/** Each of them is parsed on the thread that answers everybody. */
function limitAnnouncements(outgoing: ClientRequest): void {
  let announced = 0
  outgoing.on('information', () => {
    announced += 1
    if (announced > announcedMax) outgoing.destroy(codedError('announcements'))
  })
}

async function readAnswer(incoming: IncomingMessage): Promise<CustomerResponse> {
  const { statusCode: status = 0 } = incoming
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > bodyMax) return { status, problem: 'too_large' }
    chunks.push(chunk)
  }
  const body = Buffer.concat(chunks)
  return isUtf8(body)
    ? { status, text: new TextDecoder().decode(body) }
    : { status, problem: 'no_text' }
}
