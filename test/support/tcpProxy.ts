/** A stretch of network between a client and a server, which can fail as networks do. */

import { connect, createServer, type Socket } from 'node:net'

export interface TcpProxy {
  readonly port: number
  /** Ends every connection, and every new one at once. */
  readonly cut: () => void
  /** Nothing goes through any more, and nobody is told. */
  readonly freeze: () => void
  /** After `freeze` and `cut`. */
  readonly thaw: () => void
  /** The same for the connections that are open now: new ones work. */
  readonly freezeOpen: () => void
  /** Ends every connection at once. */
  readonly reset: () => void
  readonly close: () => Promise<void>
}

export async function startTcpProxy(target: {
  readonly port: number
  readonly host?: string
}): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let frozen = false
  let isCut = false
  const server = createServer((near) => {
    if (isCut) {
      near.resetAndDestroy()
      return
    }
    const far = connect(target.port, target.host ?? '127.0.0.1')
    const pair = [near, far] as const
    pairs.add(pair)
    const end = () => {
      near.destroy()
      far.destroy()
      pairs.delete(pair)
    }
    for (const socket of pair) socket.on('error', end).on('close', end)
    near.pipe(far)
    far.pipe(near)
    if (frozen) stop(pair)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const reset = () => {
    for (const [near, far] of [...pairs]) {
      near.resetAndDestroy()
      far.destroy()
    }
  }
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    freeze: () => {
      frozen = true
      for (const pair of pairs) stop(pair)
    },
    freezeOpen: () => {
      for (const pair of pairs) stop(pair)
    },
    cut: () => {
      isCut = true
      reset()
    },
    thaw: () => {
      isCut = false
      frozen = false
      for (const pair of pairs) start(pair)
    },
    reset,
    close: () => {
      reset()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function stop([near, far]: readonly [Socket, Socket]): void {
  near.unpipe(far)
  far.unpipe(near)
}

function start([near, far]: readonly [Socket, Socket]): void {
  near.pipe(far)
  far.pipe(near)
}
