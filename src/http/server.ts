/** Listens, with a limit on everything a slow client could hold, and stops without cutting off who is being answered. */

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http'
import type { ListenOptions, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { fewEachTurn } from '../domain/fewEachTurn.ts'
import { openShares } from '../domain/shares.ts'
import { bodiesInTurns, discardInTurns } from './connections/bodiesInTurns.ts'
import { cutSlowBodies, cutSlowReaders } from './connections/cutSlowBodies.ts'
import type { Arrivals } from './connections/knownSenders.ts'
import { type TakenConnections, takeConnections } from './connections/takeConnections.ts'
import { TooSlow } from './connections/tooSlow.ts'
import { headersMax } from './request/headersMax.ts'
import { inOrder } from './request/inOrder.ts'
import { refuseUnreadable } from './request/refuseUnreadable.ts'
import { whenClosed } from './request/whenClosed.ts'

/** Texts shorter than this are joined to their headers, and encoded, about as fast. */
const longChars = 1_024

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

/** A client that asks for a tunnel to another host (`CONNECT`), which Node makes no request of. */
class NoTunnel extends Error {
  readonly code = 'NO_TUNNEL'
}

interface ConnectionLimits {
  readonly connectionsMax: number
  readonly connectionsOfAddressMax: number
}

/** Answers, for each new connection, whether its address has not yet its share of the connections; it is held until it closes. */
function shareConnections({
  connectionsMax,
  connectionsOfAddressMax,
}: ConnectionLimits): (socket: Socket) => boolean {
  const connections = openShares({ share: connectionsOfAddressMax, total: connectionsMax })
  return (socket) => {
    const { remoteAddress } = socket
    if (connections.refuses(remoteAddress, 1) !== undefined) return false
    socket.once('close', connections.hold(remoteAddress, 1).giveBack)
    return true
  }
}

/**
 * An answer whose text, where it is long and of ASCII alone, as nearly all are, is copied to the connection: not joined to its headers
 * before, which would make another copy of it, nor encoded, since its bytes are what its characters are. It leaves in one write with the headers
 * all the same.
 */
export class CopiedAnswer<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  override end(chunk?: unknown, encoding?: unknown, callback?: () => void): this {
    const isCopied = typeof chunk === 'string' && encoding === undefined && isLongAscii(this, chunk)
    if (!isCopied || this.headersSent) {
      return super.end(chunk, encoding as BufferEncoding, callback)
    }
    this.cork()
    this.flushHeaders()
    return super.end(chunk, 'latin1', callback)
  }
}

/** By the length that the answer says, which is in bytes. */
function isLongAscii(answer: ServerResponse, text: string): boolean {
  return text.length >= longChars && Number(answer.getHeader('Content-Length')) === text.length
}
