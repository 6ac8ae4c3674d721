/** Starts and stops the HTTP server with its limits, and answers requests Node cannot parse. */

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { Failure, type FailureCode, invalidRequest } from '../domain/failure.ts'
import { headersMax } from './middleware/rejectInvalidHeaders.ts'
import { errorBodies } from './request/errorBodies.ts'
import { runWhenClosed } from './request/runWhenClosed.ts'

export interface RunningServer {
  /** The port it listens on; the one the system chose for 0. */
  readonly port: number
  /**
   * Takes no more requests, and resolves when those under way are answered: true; or when the time is over and their
   * connections were cut: false.
   */
  readonly stop: (timeoutMs: number) => Promise<boolean>
}

interface ServerOptions {
  readonly app: {
    readonly callback: () => (req: IncomingMessage, res: ServerResponse) => unknown
  }
  readonly host: string
  readonly port: number
  /** Other limits than the usual ones, only to reach them in tests. */
  readonly limits?: Partial<typeof usualLimits>
}

const usualLimits = {
  // what a client may take to send its headers, and its whole request, which may be a file of a list
  headersTimeout: 10_000,
  requestTimeout: 3_600_000,
  // how long nothing may come and nothing be taken on a connection with a request under way
  timeout: 30_000,
  // longer than the idle time of the usual load balancers, so that they close first
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 500,
  maxHeaderSize: 16 * 1024,
  // the app refuses a request without Host itself, as it refuses everything
  requireHostHeader: false,
  maxConnections: 10_000,
  // that wait until they are taken: beyond it the system drops one, whose client tries again a second later
  backlog: 4_096,
}
/** How often a stopping server checks for responses in progress. */
const stopCheckMs = 25

/** Starts listening. Rejects with the system's error when it cannot (`EADDRINUSE`, `EACCES`, …). */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { app, host, port } = options
  const limits = { ...usualLimits, ...options.limits }
  const server = createServer(limits)
  // Node silently drops headers beyond the limit: one more than allowed tells the app that there are too many
  server.maxHeadersCount = headersMax + 1
  server.maxConnections = limits.maxConnections
  server.timeout = limits.timeout
  const answering = answerRequests(server, app.callback())
  server.listen({ host, port, backlog: limits.backlog })
  await once(server, 'listening')
  const { port: openPort } = server.address() as AddressInfo
  return { port: openPort, stop: (timeoutMs) => stop(server, answering, timeoutMs) }
}

/** Connects the handlers of requests and of connections without a valid request; returns the responses in progress. */
function answerRequests(server: Server, handle: RequestListener): ReadonlySet<ServerResponse> {
  const answering = new Set<ServerResponse>()
  const lastOf = new WeakMap<Duplex, ServerResponse>()
  const answer: RequestListener = (req, res) => {
    if (!server.listening) res.setHeader('Connection', 'close')
    answering.add(res)
    lastOf.set(req.socket, res)
    runWhenClosed(res, () => answering.delete(res))
    handle(req, res)
  }
  server.on('request', answer)
  // the app refuses an expectation that is not the usual one
  server.on('checkExpectation', answer)
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    if (code === 'ECONNRESET') socket.destroy()
    else refuse(toFailure(code), socket, lastOf.get(socket))
  })
  // Node hands over a `CONNECT` socket without an error listener, and would close it silently without this handler
  server.on('connect', (_req, socket) => {
    socket.on('error', () => socket.destroy())
    const failure = new Failure('method_not_allowed', 'There are no tunnels to other hosts here.')
    refuse(failure, socket, lastOf.get(socket))
  })
  return answering
}

/** Refuses a connection after the earlier requests on it were answered, since those may have been carried out. */
function refuse(failure: Failure, socket: Duplex, last: ServerResponse | undefined): void {
  // nothing more of it is looked at
  socket.pause()
  if (last?.req.complete && !last.closed)
    runWhenClosed(last, () => refuse(failure, socket, undefined))
  // a request is answered once, also one whose body never came to its end
  else if (last?.headersSent && !last.req.complete) socket.destroy()
  else {
    socket.resume()
    refuseUnreadable(failure, socket)
  }
}

/** How long a client may take to read the refusal and close its side; then the connection is destroyed. */
const lingerMs = 2_000

/** Writes the error body to the connection and closes it. */
function refuseUnreadable(failure: Failure, socket: Duplex): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const requestId = randomUUID()
  const body = JSON.stringify(errorBodies.main.body(failure, requestId))
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

/** By the code of Node's error. */
const failures: Readonly<Record<string, readonly [FailureCode, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request took too long to arrive.'],
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The address and the headers are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['payload_too_large', 'The extensions of a chunk are too large.'],
}

function toFailure(code = ''): Failure {
  const known = failures[code]
  if (known) return new Failure(...known)
  return invalidRequest([{ path: '', message: 'This is not a request of HTTP.' }])
}

async function stop(
  server: Server,
  answering: ReadonlySet<ServerResponse>,
  timeoutMs: number,
): Promise<boolean> {
  const closed = once(server, 'close')
  server.close()
  for (const res of answering) if (!res.headersSent) res.setHeader('Connection', 'close')
  const untilMs = performance.now() + timeoutMs
  while (answering.size > 0 && performance.now() < untilMs) await pause(stopCheckMs)
  const isFinished = answering.size === 0
  server.closeAllConnections()
  await closed
  return isFinished
}
