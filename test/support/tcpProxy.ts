/** A stretch of network between a client and a server, which can fail as networks do. */

import { connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import { listen } from './listen.ts'

export interface TcpProxy {
  readonly port: number
  /** Connections that have come so far. */
  readonly accepted: () => number
  /** Connections that were ended because the network is cut. */
  readonly refused: () => number
  /** Ends every connection, and every new one at once. */
  readonly cut: () => void
  /** The same, as a server does that stops. */
  readonly stop: () => void
  /** Nothing goes through any more, and nobody is told. */
  readonly freeze: () => void
  /** After `freeze`, `cut` and `stop`. */
  readonly thaw: () => void
  /** The same for the connections that are open now: new ones work. */
  readonly freezeOpen: () => void
  /** From now on everything takes so much longer, each way; 0 for no longer. */
  readonly delay: (ms: number) => void
  /** Ends every connection at once. */
  readonly reset: () => void
  readonly close: () => Promise<void>
}

interface ProxyTarget {
  readonly port: number
  /** This machine unless given. */
  readonly host?: string
}

/** Two ends, and what stands between them in each direction. */
interface Pair {
  readonly ends: readonly [Socket, Socket]
  readonly ways: readonly [Transform, Transform]
}

export async function startTcpProxy({ port, host = '127.0.0.1' }: ProxyTarget): Promise<TcpProxy> {
  const pairs = new Set<Pair>()
  let frozen = false
  let isCut = false
  let delayMs = 0
  const way = () =>
    new Transform({
      transform: (chunk, _encoding, done) => {
        if (delayMs === 0) done(null, chunk)
        else setTimeout(() => done(null, chunk), delayMs).unref()
      },
    })
  let accepted = 0
  let refused = 0
  const server = createServer((near) => {
    accepted += 1
    if (isCut) {
      refused += 1
      near.resetAndDestroy()
      return
    }
    const far = connect(port, host)
    const pair: Pair = { ends: [near, far], ways: [way(), way()] }
    pairs.add(pair)
    const end = () => {
      near.destroy()
      far.destroy()
      pairs.delete(pair)
    }
    for (const socket of pair.ends) socket.on('error', end).on('close', end)
    pair.ways[0].pipe(far)
    pair.ways[1].pipe(near)
    if (!frozen) start(pair)
  })
  const { port: own, close } = await listen(server)
  const reset = () => {
    for (const { ends } of [...pairs]) {
      const [near, far] = ends
      near.resetAndDestroy()
      far.destroy()
    }
  }
  return {
    port: own,
    freeze: () => {
      frozen = true
      for (const pair of pairs) hold(pair)
    },
    freezeOpen: () => {
      for (const pair of pairs) hold(pair)
    },
    accepted: () => accepted,
    refused: () => refused,
    cut: () => {
      isCut = true
      reset()
    },
    stop: () => {
      isCut = true
      for (const { ends } of [...pairs]) for (const socket of ends) socket.destroy()
    },
    thaw: () => {
      isCut = false
      frozen = false
      for (const pair of pairs) start(pair)
    },
    delay: (ms) => {
      delayMs = ms
    },
    reset,
    close: () => {
      reset()
      return close()
    },
  }
}

function hold({ ends, ways }: Pair): void {
  ends[0].unpipe(ways[0])
  ends[1].unpipe(ways[1])
}

/** Held before, since a socket that is piped twice sends everything twice. */
function start(pair: Pair): void {
  hold(pair)
  const { ends, ways } = pair
  ends[0].pipe(ways[0])
  ends[1].pipe(ways[1])
}
