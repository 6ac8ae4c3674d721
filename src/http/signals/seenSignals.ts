/** What is seen of a front end on the way, whatever it says of itself. */

import type { IncomingMessage } from 'node:http'
import { publicIp } from '../../domain/ipAddress.ts'
import type { FrontEndDispatch } from '../../service/signals/signalsPart.ts'
import { onlyOne } from '../request/onlyOne.ts'
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
