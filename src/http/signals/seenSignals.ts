/** What is seen of a front end on the way, whatever it says of itself. */

import type { IncomingMessage } from 'node:http'
import { publicIp } from '../../domain/ipAddress.ts'
import type { FrontEndDispatch } from '../../service/signals/signalsPart.ts'
import { clientAddress } from './clientAddress.ts'
import { saidTextMax } from './frontEndSchemas.ts'

export interface Sight {
  /** Proxies in front of the service whose headers are believed. */
  readonly trustedProxies: number
  /** The header in which the one that ends TLS tells the JA4 fingerprint, in lower case; undefined when none does. */
  readonly ja4Header: string | undefined
}

/** The forms of JA4, raw ones left out. */
const ja4 = /^[A-Za-z0-9_-]{1,64}$/

/** The address when it is public, the fingerprint, and the browser's own header. */
export function seenSignals(
  req: IncomingMessage,
  { trustedProxies, ja4Header }: Sight,
): FrontEndDispatch['seen'] {
  const ip = publicIp(clientAddress(req, trustedProxies) ?? '')
  const fingerprint =
    ja4Header === undefined || trustedProxies === 0 ? undefined : onlyOne(req, ja4Header)
  const userAgent = req.headers['user-agent'] ?? ''
  return {
    ...(ip !== undefined && { ip }),
    ...(fingerprint !== undefined && ja4.test(fingerprint) && { ja4_fingerprint: fingerprint }),
    ...(userAgent !== '' && userAgent.length <= saidTextMax && { user_agent: userAgent }),
  }
}

/** The header's value; undefined when it stands there twice, since one of the two is not the proxy's. */
function onlyOne({ rawHeaders, headers }: IncomingMessage, name: string): string | undefined {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === name) count += 1
  }
  const value = headers[name]
  return count === 1 && typeof value === 'string' ? value : undefined
}
