/** New connections: each is taken at once, and served when its first bytes have come and it is its sender's turn. */

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { openShares } from '../../domain/shares.ts'
import { isMonitoring } from './isMonitoring.ts'
import type { Arrivals, Sender } from './knownSenders.ts'
import { TooSlow } from './tooSlow.ts'

/** Of the first bytes, as many as are looked at: the headers of usual clients. */
const lookedAtMax = 2_048

const authorizationLine = /\r\nauthorization:[ \t]*([^\r\n]*)\r\n/i
const target = /^[A-Z]+ ([^ ?\r\n]*)/

interface TakeOptions {
  readonly server: Server
  readonly arrivals: Arrivals
  /** Whether there is room for one more of its address. */
  readonly admits: (socket: Socket) => boolean
  /** How long a connection may stay without a byte, and how often that is looked at. */
  readonly silentMs: number
  readonly checkMs: number
  /** Another bound than the usual one, only to reach it in tests. */
  readonly bytesMax?: typeof firstBytes
}

export interface TakenConnections {
  /** Ends those that have sent nothing; from now on also those that come. */
  readonly closeSilent: () => void
  /** Ends all whose turn has not come. */
  readonly closeWaiting: () => void
}

const mebibyte = 1024 * 1024
/** First bytes held of connections that wait for their turn, of one sender and of all; beyond that a connection is closed. */
const firstBytes = { share: 8 * mebibyte, total: 64 * mebibyte }

/**
 * Has the server serve its connections by and by. A connection costs next to nothing until then, so that the last of a thousand that
 * are opened at once is known by its token while the first ones still wait. Nothing that the client sends is lost or read twice.
 */
export function takeConnections(options: TakeOptions): TakenConnections {
  const { server, arrivals, admits } = options
  const waiting = openWaiting(options, handOver(server))
  const silent = openSilent(options)
  let isClosing = false
  server.on('connection', (socket) => {
    arrivals.turns.arrived()
    if (isClosing || !admits(socket)) {
      socket.destroy()
      return
    }
    silent.add(socket)
    firstBytesOf(socket, (first) => {
      silent.remove(socket)
      if (first) waiting.add(socket, first)
    })
  })
  return {
    closeSilent: () => {
      isClosing = true
      silent.close()
    },
    closeWaiting: waiting.close,
  }
}

/** Those whose first bytes have come, until it is their sender's turn to be served. */
function openWaiting(
  { arrivals, bytesMax = firstBytes }: TakeOptions,
  serve: (socket: Socket) => void,
) {
  const bytes = openShares(bytesMax)
  const waiting = new Set<Socket>()
  return {
    add: (socket: Socket, first: Buffer): void => {
      const key = arrivals.senders.of(senderOf(first, socket.remoteAddress))
      if (!socket.writable || bytes.refuses(key, first.length) !== undefined) {
        socket.destroy()
        return
      }
      const held = bytes.hold(key, first.length)
      waiting.add(socket)
      arrivals.turns.enter(key, () => {
        waiting.delete(socket)
        held.giveBack()
        serve(socket)
      })
    },
    close: (): void => {
      for (const socket of waiting) socket.destroy()
    },
  }
}

/** Those that have sent nothing yet, for as long as they may. */
function openSilent({ server, silentMs, checkMs }: TakeOptions) {
  /** Since when, the longest first. */
  const silent = new Map<Socket, number>()
  const look = (): void => {
    const nowMs = performance.now()
    for (const [socket, sinceMs] of silent) {
      if (nowMs - sinceMs < silentMs) return
      silent.delete(socket)
      server.emit('clientError', new TooSlow(), socket)
      socket.once('finish', () => socket.destroy())
    }
  }
  const looking = setInterval(look, checkMs)
  looking.unref()
  server.once('close', () => clearInterval(looking))
  return {
    add: (socket: Socket): void => {
      silent.set(socket, performance.now())
    },
    remove: (socket: Socket): void => {
      silent.delete(socket)
    },
    close: (): void => {
      for (const socket of silent.keys()) socket.destroy()
    },
  }
}

/** Takes from the server what it does with a connection, and answers how to do it. */
function handOver(server: Server): (socket: Socket) => void {
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  return (socket) => {
    if (socket.destroyed) return
    for (const listener of listeners) Reflect.apply(listener, server, [socket])
    // it was not read while it waited
    socket.resume()
  }
}

/** Calls back once: with the first bytes, which are left to be read again, or with nothing when there will be none. */
function firstBytesOf(socket: Socket, told: (first: Buffer | undefined) => void): void {
  const onData = (first: Buffer): void => {
    socket.pause()
    socket.unshift(first)
    tell(first)
  }
  const onEnd = (): void => {
    socket.destroy()
  }
  const onClose = (): void => tell(undefined)
  const tell = (first: Buffer | undefined): void => {
    socket.off('data', onData)
    socket.off('end', onEnd)
    socket.off('close', onClose)
    told(first)
  }
  socket.on('data', onData)
  socket.on('end', onEnd)
  socket.on('close', onClose)
  // whoever waits for more is told by the end of the connection
  socket.on('error', () => undefined)
}

/** What the bytes say, without a word of whether they are a request. Somebody who is not known by them is known by the address. */
export function senderOf(bytes: Buffer, address: string | undefined): Sender {
  const text = bytes.toString('latin1', 0, lookedAtMax)
  return {
    authorization: authorizationLine.exec(text)?.[1]?.trimEnd(),
    address: () => address,
    monitors: isMonitoring(target.exec(text)?.[1] ?? ''),
  }
}
