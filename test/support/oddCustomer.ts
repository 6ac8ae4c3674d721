/** The back end of a customer whose answers are no answers: bytes of its own choosing, over TLS. */

import { createServer, type TLSSocket } from 'node:tls'
import { listen } from './listen.ts'
import { selfSigned } from './selfSigned.ts'

/** What it does with a question, once the first bytes of it have arrived. */
export type Oddity = (socket: TLSSocket) => void

interface OddCustomer {
  readonly url: string
  /** By a name that name servers are asked for, which the test stands in for. */
  readonly publicUrl: string
  readonly certificates: string
  /** Connections that were made to it. */
  readonly connections: () => number
  answering: Oddity
  readonly close: () => void
}

const publicName = 'odd.example.com'
const valid = JSON.stringify({
  valid: true,
  identifiers: [{ type: 'customer_user_id', value: 'user of an odd customer' }],
})

/** What is a good answer. */
export const answersWell: Oddity = (socket) => {
  socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${valid.length}\r\n\r\n${valid}`)
}

/** Never a word. */
export const saysNothing: Oddity = () => undefined

/** Sends the head, and then more and more as long as somebody listens. */
export function sendsOn(head: string, more: string, everyMs = 5): Oddity {
  return (socket) => {
    socket.write(head)
    const timer = setInterval(() => socket.write(more), everyMs)
    socket.on('close', () => clearInterval(timer))
  }
}

/** Opens it on a port of this machine. */
export async function openOddCustomer(): Promise<OddCustomer> {
  const { key, cert } = selfSigned(['localhost', publicName])
  const sockets = new Set<TLSSocket>()
  let connections = 0
  const server = createServer({ key, cert }, (socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    // whoever asked has had enough
    socket.on('error', () => socket.destroy())
    socket.once('data', () => customer.answering(socket))
  })
  const { port } = await listen(server)
  const customer: OddCustomer = {
    url: `https://localhost:${port}/validate`,
    publicUrl: `https://${publicName}:${port}/validate`,
    certificates: cert,
    connections: () => connections,
    answering: answersWell,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
  return customer
}
