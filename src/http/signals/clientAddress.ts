/** Reads the client's IP address from the connection or a trusted `X-Forwarded-For` header. */

import type { IncomingMessage } from 'node:http'

/** An address and a port, as some proxies write them. */
const withPort = /^(?:(\d{1,3}(?:\.\d{1,3}){3})|\[([0-9A-Fa-f:.]+)\])(?::\d{1,5})?$/

/**
 * The address that the outermost trusted proxy saw: with n trusted proxies, the n-th from the end of `X-Forwarded-For`, to which each
 * proxy appends. Earlier entries can be forged by the client. Undefined when the list is shorter, since the request then bypassed a
 * configured proxy. Without proxies, the address of the connection.
 */
export function readClientIp(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustedProxies: number,
): string | undefined {
  if (trustedProxies === 0) return socket.remoteAddress
  const forwarded = headers['x-forwarded-for'] ?? ''
  const list = (typeof forwarded === 'string' ? forwarded : forwarded.join(',')).split(',')
  const said = list.at(-trustedProxies)?.trim() ?? ''
  const [, v4, v6] = withPort.exec(said) ?? []
  return v4 ?? v6 ?? (said === '' ? undefined : said)
}
