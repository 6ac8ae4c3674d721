/** Listens, with a limit on everything a slow client could hold, and stops without cutting off who is being answered. */

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { ListenOptions } from 'node:net'
import type { Duplex } from 'node:stream'
import { fewEachTurn } from '../domain/fewEachTurn.ts'
import { bodiesInTurns, discardInTurns } from './connections/bodiesInTurns.ts'
import { CopiedAnswer } from './connections/copiedAnswers.ts'
import { cutSlowBodies } from './connections/cutSlowBodies.ts'
import { NoTunnel } from './connections/noTunnel.ts'
import type { Arrivals } from './connections/openArrivals.ts'
import { shareConnections } from './connections/shareConnections.ts'
import { type TakenConnections, takeConnections } from './connections/takeConnections.ts'
import { TooSlow } from './connections/tooSlow.ts'
import { cutSlowReaders } from './request/cutSlowReaders.ts'
import { headersMax } from './request/headersMax.ts'
import { inOrder } from './request/inOrder.ts'
import { refuseUnreadable } from './request/refuseUnreadable.ts'
import { whenClosed } from './request/whenClosed.ts'

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
  readonly app: {
    readonly callback: () => (req: IncomingMessage, res: ServerResponse) => unknown
    readonly arrivals: Arrivals
  }
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
  connectionsCheckingInterval: 500,
  maxHeaderSize: 16 * 1024,
  // the app refuses a request without Host itself, as it refuses everything
  requireHostHeader: false,
  // what a client may take to read its answer
  answerTimeout: 30_000,
  connectionsMax: 10_000,
  // of one address, where clients are known by it
  connectionsOfAddressMax: 2_500,
  // that wait until they are taken: beyond it the system drops one, whose client tries again a second later
  backlog: 4_096,
}
/** How often a stopping server looks for connections that have become idle. */
const idleCheckMs = 25

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
  const answerOf = new WeakMap<Duplex, ServerResponse>()
  let stopping = false
  const listener: RequestListener = inOrder((req, res) => {
    if (stopping) res.setHeader('Connection', 'close')
    answering.add(res)
    answerOf.set(req.socket, res)
    whenClosed(res, () => answering.delete(res))
    handle(req, res)
  })
  const slowBodies = cutSlowBodies(limits.requestTimeout, ({ socket }) =>
    server.emit('clientError', new TooSlow(), socket),
  )
  const begin: RequestListener = (req, res) => {
    slowBodies.watch(req)
    discardInTurns(req, res)
    listener(req, res)
  }
  // whose body is read while it arrives may take longer, which Node cannot be told
  const server = createServer(
    {
      ...limits,
      requestTimeout: 0,
      IncomingMessage: bodiesInTurns(app.arrivals),
      ServerResponse: CopiedAnswer,
    },
    begin,
  )
  // Node leaves out what is beyond it without a word: by the one more the app knows that there are too many
  server.maxHeadersCount = headersMax + 1
  server.maxConnections = limits.connectionsMax
  const slowReaders = cutSlowReaders(answering, {
    answerMs: limits.answerTimeout,
    checkMs: limits.connectionsCheckingInterval,
  })
  server.once('close', slowReaders.stop)
  // so does the app with an expectation that is not the usual one
  server.on('checkExpectation', begin)
  refuseInTurns(server, app.arrivals, answerOf)
  refuseTunnels(server)
  const taken = takeConnections({
    server,
    arrivals: app.arrivals,
    admits: trustedProxies === 0 ? shareConnections(limits) : () => true,
    silentMs: limits.headersTimeout,
    checkMs: limits.connectionsCheckingInterval,
  })
  await listen(server, { host, port, backlog: limits.backlog })
  return {
    port: portOf(server),
    stop: (timeoutMs) => {
      stopping = true
      for (const res of answering) if (!res.headersSent) res.setHeader('Connection', 'close')
      return close(server, taken, timeoutMs)
    },
  }
}

/** How those are refused that never become requests: the end of a connection, and of what was begun on it, follows in the same turn. */
const refusals = { key: 'refusals', most: 4 } as const

/**
 * Answers what never becomes a request, a few in a turn; `answerOf` is what is being answered on each connection. What was asked before on
 * the connection is answered first, since it may have been carried out.
 */
function refuseInTurns(
  server: Server,
  { turns }: Arrivals,
  answerOf: WeakMap<Duplex, ServerResponse>,
): void {
  const doLater = fewEachTurn({ turns, ...refusals })
  server.on('clientError', (error, socket) => {
    // nothing more of it is looked at
    socket.pause()
    const refuse = (): void => {
      const answer = answerOf.get(socket)
      if (answer?.req.complete && !answer.closed) {
        whenClosed(answer, refuse)
        return
      }
      socket.resume()
      // a request is answered once, also one whose body never came to its end
      if (answer?.headersSent && !answer.req.complete) socket.destroy()
      else refuseUnreadable(error, socket)
    }
    doLater(refuse)
  })
}

/** Node hands over the connection of a `CONNECT` with nobody left to hear its errors, and would close it without a word otherwise. */
function refuseTunnels(server: Server): void {
  server.on('connect', (_req, socket) => {
    socket.on('error', () => socket.destroy())
    server.emit('clientError', new NoTunnel(), socket)
  })
}

function listen(server: Server, place: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(place, () => {
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

function close(server: Server, taken: TakenConnections, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    let finished = true
    const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs)
    const over = setTimeout(() => {
      finished = false
      taken.closeWaiting()
      server.closeAllConnections()
    }, timeoutMs)
    server.close(() => {
      clearInterval(idle)
      clearTimeout(over)
      resolve(finished)
    })
    taken.closeSilent()
    server.closeIdleConnections()
  })
}
