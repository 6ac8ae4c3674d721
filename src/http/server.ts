/** Listens, with a limit on everything a slow client could hold, and stops without cutting off who is being answered. */

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
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
