/** Listens, with a limit on everything a slow client could hold, and stops without cutting off who is being answered. */

import { randomUUID } from 'node:crypto'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Duplex } from 'node:stream'
import { Failure } from '../domain/failure.ts'
import { errorFamilyOf } from './request/errorFamily.ts'

export interface RunningServer {
  /** The port it listens on; the one the system chose when 0 was asked for. */
  readonly port: number
  /**
   * Takes no more requests, and resolves when those under way are answered: true; or when the time is over and their connections
   * were cut: false.
   */
  readonly stop: (timeoutMs: number) => Promise<boolean>
}

interface ServerOptions {
  readonly app: { readonly callback: () => (req: IncomingMessage, res: ServerResponse) => unknown }
  readonly host: string
  readonly port: number
  /** Other limits than the usual ones, only to reach them in tests. */
  readonly limits?: Partial<typeof usualLimits>
}

const usualLimits = {
  // what a client may take to send its headers, and its whole request
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // longer than the idle time of the usual load balancers, so that they close first
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16 * 1024,
}
const headersMax = 100
const connectionsMax = 10_000
/** How often a stopping server looks for connections that have become idle. */
const idleCheckMs = 25

/** Starts listening. Rejects with the system's error when it cannot (`EADDRINUSE`, `EACCES`, …). */
export async function startServer({
  app,
  host,
  port,
  limits,
}: ServerOptions): Promise<RunningServer> {
  const handle = app.callback()
  const answering = new Set<ServerResponse>()
  let stopping = false
  const listener: RequestListener = (req, res) => {
    if (stopping) res.setHeader('Connection', 'close')
    answering.add(res)
    res.once('close', () => answering.delete(res))
    handle(req, res)
  }
  const server = createServer({ ...usualLimits, ...limits }, listener)
  server.maxHeadersCount = headersMax
  server.maxConnections = connectionsMax
  server.on('clientError', refuseUnreadable)
  await listen(server, host, port)
  return {
    port: portOf(server),
    stop: (timeoutMs) => {
      stopping = true
      for (const res of answering) if (!res.headersSent) res.setHeader('Connection', 'close')
      return close(server, timeoutMs)
    },
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening on a port')
  return address.port
}

function close(server: Server, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    let finished = true
    const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs)
    const over = setTimeout(() => {
      finished = false
      server.closeAllConnections()
    }, timeoutMs)
    server.close(() => {
      clearInterval(idle)
      clearTimeout(over)
      resolve(finished)
    })
    server.closeIdleConnections()
  })
}

/** Answers what is not HTTP, or comes too slowly, or has too large headers: such a request never reaches the app. */
function refuseUnreadable(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { status, failure } = unreadable(error.code)
  const requestId = randomUUID()
  const body = JSON.stringify(errorFamilyOf('/').body(failure, requestId))
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${requestId}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`,
  )
}

function unreadable(code: string | undefined): { status: string; failure: Failure } {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const failure = new Failure('request_timeout', 'The request took too long to arrive.')
    return { status: '408 Request Timeout', failure }
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    const failure = new Failure('invalid_request', 'The headers are too large.')
    return { status: '431 Request Header Fields Too Large', failure }
  }
  return {
    status: '400 Bad Request',
    failure: new Failure('invalid_request', 'The request is not HTTP.'),
  }
}
