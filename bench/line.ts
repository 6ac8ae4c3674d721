/**
 * A connection of a client that sends one request after the other and does no more than it must, because it shares the
 * cores with the server.
 */

import { connect, type Socket } from 'node:net'

const headEnd = Buffer.from('\r\n\r\n')
const lengthName = 'content-length: '

export interface Line {
  /** Resolves with the whole answer, head and body; rejects when it has another status. */
  readonly send: (request: Buffer) => Promise<Buffer>
  readonly close: () => void
}

/** Connects; every answer has to have this status. Rejects when nobody listens. */
export function openLine(port: number, status = 200): Promise<Line> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.once('error', reject)
    socket.once('connect', () => resolve(lineOf(socket, status)))
  })
}

function lineOf(socket: Socket, status: number): Line {
  let parts: Buffer[] = []
  let missing = 0
  let settle: ((body: Buffer) => void) | undefined
  let refuse: ((error: Error) => void) | undefined
  socket.on('data', (chunk: Buffer) => {
    if (parts.length === 0) {
      const head = chunk.indexOf(headEnd)
      const text = chunk.toString('latin1', 0, head).toLowerCase()
      if (head < 0 || !text.startsWith(`http/1.1 ${status}`))
        return refuse?.(new Error(chunk.toString()))
      const at = text.indexOf(lengthName) + lengthName.length
      missing = Number.parseInt(text.slice(at, at + 9), 10) + head + headEnd.length
    }
    parts.push(chunk)
    missing -= chunk.length
    if (missing > 0) return
    const whole = parts
    parts = []
    settle?.(joined(whole))
  })
  socket.on('close', () => refuse?.(new Error('the connection was closed')))
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        settle = resolve
        refuse = reject
        socket.write(request)
      }),
    close: () => {
      refuse = undefined
      socket.end()
    },
  }
}

/** Most answers come in one piece, of which nothing is copied. */
function joined(parts: readonly Buffer[]): Buffer {
  const [first] = parts
  return parts.length === 1 && first ? first : Buffer.concat(parts)
}
