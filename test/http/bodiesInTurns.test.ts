import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { bodiesOfTurn, pieceBytes } from '../../src/http/connections/bodiesInTurns.ts'
import { openKnownSenders } from '../../src/http/connections/knownSenders.ts'
import { startServer } from '../../src/http/server.ts'
import { eventually } from '../support/eventually.ts'
import { fakeLoop } from '../support/fakeLoop.ts'
import { nothingMoreComes } from '../support/nothingMoreComes.ts'

const host = '127.0.0.1'
const bodyBytes = 2 * 1024 * 1024
const body = Buffer.alloc(bodyBytes, 'x')
const bodies = 6
const closing: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A server whose turns the test gives, and that does this with each request. */
async function serve(handle: (req: IncomingMessage, res: ServerResponse) => void) {
  const loop = fakeLoop()
  const sockets = new Set<Socket>()
  const callback = () => (req: IncomingMessage, res: ServerResponse) => {
    sockets.add(req.socket)
    handle(req, res)
  }
  const arrivals = { turns: loop.turns, senders: openKnownSenders() }
  const { port, stop } = await startServer({ app: { callback, arrivals }, host, port: 0 })
  closing.push(() => stop(10))
  for (let number = 0; number < bodies; number += 1) send(port)
  // they are taken and served
  await eventually(() => {
    loop.pass()
    return sockets.size === bodies
  })
  return {
    /** Of all connections, when nothing more comes although all that was sent has long been there. */
    read: async (): Promise<number> => {
      const readYet = () => [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0)
      for (let before = readYet(); ; ) {
        await nothingMoreComes()
        const now = readYet()
        if (now === before) return now
        before = now
      }
    },
    pass: loop.pass,
  }
}

function send(port: number): void {
  const socket = connect(port, host)
  socket.on('error', () => undefined).resume()
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${bodyBytes}\r\n\r\n`)
  socket.write(body)
  closing.push(() => socket.destroy())
}

const readers = {
  read: (req: IncomingMessage) => {
    req.resume()
  },
  'refused before any of it is read': (_: IncomingMessage, res: ServerResponse) => {
    res.writeHead(401).end()
  },
  'refused while it is read': (req: IncomingMessage, res: ServerResponse) => {
    req.once('data', () => res.writeHead(413).end())
  },
}

test.each(Object.entries(readers))(
  'of long bodies of one sender that are %s, a turn of the event loop reads a few pieces',
  async (_, handle) => {
    const { read, pass } = await serve(handle)
    const before = await read()

    const ofTurns: number[] = []
    for (let turn = 0, last = before; turn < 8; turn += 1) {
      pass()
      const now = await read()
      ofTurns.push(now - last)
      last = now
    }

    // a part of a piece may have come before the one that fills it
    const most = 2 * bodiesOfTurn * pieceBytes
    expect(before).toBeLessThanOrEqual(2 * bodies * pieceBytes + most)
    expect(Math.max(...ofTurns)).toBeLessThanOrEqual(most)
    expect(Math.min(...ofTurns)).toBeGreaterThan(0)
  },
)

test('a long body comes whole in the end, as it was sent', async () => {
  const read: Buffer[] = []
  const { pass } = await serve((req) => {
    req.on('data', (chunk: Buffer) => read.push(chunk))
  })

  await eventually(() => {
    pass()
    return read.reduce((sum, { length }) => sum + length, 0) === bodies * bodyBytes
  })

  expect(Buffer.concat(read).equals(Buffer.alloc(bodies * bodyBytes, 'x'))).toBe(true)
})
