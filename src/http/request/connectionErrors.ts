/** Answers connections whose request Node rejects: not HTTP, too slow, headers too large, CONNECT. */

import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { Failure, invalidRequest } from '../../domain/failure.ts'
import { errorBodiesOf } from './errorBodies.ts'

/** How long a client may take to read the refusal and close its side; then the connection is destroyed. */
const lingerMs = 2_000

/** Writes the error body to the connection and closes it. `error` is the error Node reported for it. */
export function refuseUnreadable(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const failure = failureOf(error.code)
  const requestId = randomUUID()
  const body = JSON.stringify(errorBodiesOf('main').body(failure, requestId))
  const head = [
    `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
    // there is no path whose methods could be told
    ...(failure.code === 'method_not_allowed' ? ['Allow: '] : []),
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  const cut = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(cut))
}

function failureOf(code: string | undefined): Failure {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Failure('request_timeout', 'The request took too long to arrive.')
  }
  if (code === 'NO_TUNNEL') {
    return new Failure('method_not_allowed', 'There are no tunnels to other hosts here.')
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new Failure('headers_too_large', 'The address and the headers are too large.')
  }
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return new Failure('payload_too_large', 'The extensions of a chunk are too large.')
  }
  return invalidRequest([{ path: '', message: 'This is not a request of HTTP.' }])
}
