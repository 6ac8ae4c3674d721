/** Listens, with a limit on everything a slow client could hold, and stops without cutting off who is being answered. */

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { openShares } from '../domain/shares.ts'
import { cutSlowReaders } from './request/cutSlowReaders.ts'
import { inOrder } from './request/inOrder.ts'
import { refuseUnreadable } from './request/refuseUnreadable.ts'

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
  /** Proxies in front of the service: without one, a client is known by its address; none unless given. */
  readonly trustedProxies?: number
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
  // the app refuses a request without Host itself, as it refuses everything
  requireHostHeader: false,
  // what a client may take to read its answer
  answerTimeout: 30_000,
  connectionsMax: 10_000,
  // of one address, where clients are known by it
  connectionsOfAddressMax: 2_500,
}
const headersMax = 100
/** How often a stopping server looks for connections that have become idle. */
const idleCheckMs = 25

/** No address has more than its share of the connections: what it opens beyond is closed at once. */
function shareConnections(
  server: Server,
  { connectionsMax, connectionsOfAddressMax }: typeof usualLimits,
): void {
  const connections = openShares({ share: connectionsOfAddressMax, total: connectionsMax })
  server.on('connection', (socket) => {
    const { remoteAddress } = socket
    if (connections.refuses(remoteAddress, 1)) socket.destroy()
    else socket.once('close', connections.hold(remoteAddress, 1).giveBack)
  })
}

/** Starts listening. Rejects with the system's error when it cannot (`EADDRINUSE`, `EACCES`, …). */
export async function startServer({
  app,
  host,
  port,
  trustedProxies = 0,
  limits: otherLimits,
}: ServerOptions): Promise<RunningServer> {
  const limits = { ...usualLimits, ...otherLimits }
  const handle = app.callback()
  const answering = new Set<ServerResponse>()
  let stopping = false
  const listener: RequestListener = inOrder((req, res) => {
    if (stopping) res.setHeader('Connection', 'close')
    answering.add(res)
    res.once('close', () => answering.delete(res))
    handle(req, res)
  })
  const server = createServer(limits, listener)
  server.maxHeadersCount = headersMax
  server.maxConnections = limits.connectionsMax
  if (trustedProxies === 0) shareConnections(server, limits)
  const slowReaders = cutSlowReaders(answering, {
    answerMs: limits.answerTimeout,
    checkMs: limits.connectionsCheckingInterval,
  })
  server.once('close', slowReaders.stop)
  // so does the app with an expectation that is not the usual one
  server.on('checkExpectation', listener)
  server.on('clientError', (error, socket) => {
    const begun = [...answering].some((res) => res.socket === socket && res.headersSent)
    if (begun) socket.destroy()
    else refuseUnreadable(error, socket)
  })
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
