/** Connections that no client library would make: a request begun and not ended, an answer asked for and not read. */

import { connect, type Socket } from 'node:net'
import type { Attacker } from './attacker.ts'

export interface RawRequest {
  /** All that is sent. */
  readonly text: string
  /** Whether what is answered is read. */
  readonly reads: boolean
}

const checkEveryMs = 50

/**
 * Sends it and keeps the connection until the service closes it or the time is over; counts the status, if one was
 * read.
 */
export function holdOpen(attacker: Attacker, { text, reads }: RawRequest): Promise<void> {
  return new Promise((resolve) => {
    const begunMs = performance.now()
    const socket: Socket = connect({ port: attacker.port, host: '127.0.0.1' })
    const timer = setInterval(() => {
      if (attacker.over()) socket.destroy()
    }, checkEveryMs)
    let status = 0
    socket.on('error', () => undefined)
    if (reads) {
      socket.on('data', (chunk: Buffer) => {
        status ||= Number(/^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1'))?.[1] ?? 0)
      })
    }
    socket.once('close', () => {
      clearInterval(timer)
      if (status > 0) attacker.count({ status, ms: performance.now() - begunMs })
      resolve()
    })
    socket.write(text)
  })
}

/** The head of a request with the attacker's token. */
export function headOf({ token }: Attacker, line: string, headers: readonly string[] = []): string {
  const lines = [`${line} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${token}`]
  return [...lines, ...headers, '', ''].join('\r\n')
}
