import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import pino from 'pino'
import { afterEach, expect, test } from 'vitest'
import { buildApp } from '../../src/http/app.ts'
import { openKnownSenders } from '../../src/http/connections/knownSenders.ts'
import { takeConnections } from '../../src/http/connections/takeConnections.ts'
import { startServer } from '../../src/http/server.ts'
import { eventually } from '../support/eventually.ts'
import { fakeLoop, turnsThatNeverCome } from '../support/fakeLoop.ts'
import { nothingMoreComes } from '../support/nothingMoreComes.ts'
import { fakeService } from './support/fakeService.ts'
import { sendRequest } from './support/sendRequest.ts'

const host = '127.0.0.1'
const closing: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const ask = (token: string) =>
  `GET /v2/watch/management/rules HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`

/** Connects and sends the text at once. */
function opened(port: number, text?: string | Buffer): Socket {
  const socket = connect(port, host)
  socket.on('error', () => undefined)
  if (text !== undefined) socket.write(text)
  closing.push(() => socket.destroy())
  return socket
}

async function openServer(service = fakeService()) {
  const logger = pino({ level: 'silent' })
  const app = buildApp({ service, logger, inFlightMax: 1_000, trustedProxies: 0 })
  const server = await startServer({ app, host, port: 0 })
  closing.push(() => server.stop(1_000))
  return server
}

const arrivalsOfOneTurn = () => ({
  turns: turnsThatNeverCome(8),
  senders: openKnownSenders(),
})

/** A server that takes connections, in turns that never come but the first: so many are served, and the others wait. */
async function openWaiting(bytesMax = { share: 100_000, total: 100_000 }) {
  const server: Server = createServer((_, res) => res.end('served'))
  const arrivals = arrivalsOfOneTurn()
  const taken = takeConnections({
    server,
    arrivals,
    admits: () => true,
    silentMs: 60_000,
    checkMs: 60_000,
    bytesMax,
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  closing.push(async () => {
    taken.closeWaiting()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { server, taken, port: (server.address() as AddressInfo).port }
}

/** An answered request on a connection of its own. */
const asked = (port: number, path: string, token?: string) =>
  sendRequest(
    { port, agent: new Agent(), method: 'GET', path },
    token === undefined ? {} : { token },
  )

const answerOf = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    let text = ''
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    socket.once('close', () => resolve(text))
  })

test.skipIf(process.platform !== 'linux')(
  'the system keeps a thousand connections that come at once until they are taken',
  async () => {
    const { port } = await openServer()
    const sockets = Array.from({ length: 1_000 }, () => opened(port))

    // they have been begun, and the server has not had a turn to take any
    await new Promise<void>((resolve) => process.nextTick(resolve))
    const untilMs = performance.now() + 20_000
    // a busy system may be behind with them
    while (keptOf(port) < sockets.length && performance.now() < untilMs);

    expect(keptOf(port)).toBe(1_000)
  },
)

/** How many connections to the port the system keeps that were not taken. */
function keptOf(port: number): number {
  const place = `:${port.toString(16).toUpperCase().padStart(4, '0')} `
  const line = readFileSync('/proc/net/tcp', 'latin1')
    .split('\n')
    .find((text) => text.includes(place) && / 0A /.test(text))
  return Number.parseInt(/ 0A \w+:(\w+)/.exec(line ?? '')?.[1] ?? '', 16)
}

test('what a client sends in pieces, and several requests at once, is read as it was sent', async () => {
  const { port } = await openServer()
  const live = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'
  const pieces = opened(port, live.slice(0, 9))
  const several = opened(
    port,
    `${live}${live}${live.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')}`,
  )
  await new Promise((resolve) => setTimeout(resolve, 20))
  pieces.write(live.slice(9).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))

  const answers = await Promise.all([pieces, several].map(answerOf))

  expect(answers.map((text) => text.match(/HTTP\/1\.1 200/g)?.length)).toEqual([1, 3])
})

test('connections that have sent nothing do not hold up a stop', async () => {
  const { port, stop } = await openServer()
  const silent = [opened(port), opened(port)]
  const closed = silent.map(answerOf)
  await asked(port, '/health/live')

  expect(await stop(10_000)).toBe(true)
  expect(await Promise.all(closed)).toEqual(['', ''])
})

test('connections whose turn has not come are closed when the time to stop is over', async () => {
  const { server, taken, port } = await openWaiting()
  const sockets = Array.from({ length: 20 }, () => opened(port, ask('x')))
  const closed = Promise.all(sockets.map(answerOf))
  await eventually(() => countOf(server).then((count) => count === 20))

  let isOver = false
  void closed.then(() => {
    isOver = true
  })
  // the first bytes of some may still be on their way
  await eventually(() => {
    taken.closeWaiting()
    server.closeAllConnections()
    return isOver
  })
  const texts = await closed

  expect(texts.filter((text) => text !== '')).toHaveLength(8)
})

test('what waits for a turn is bounded in bytes for each sender', async () => {
  const { port } = await openWaiting({ share: 1_000, total: 10_000 })
  const sockets = Array.from({ length: 30 }, () => opened(port, 'x'.repeat(100)))
  let closed = 0
  for (const socket of sockets) {
    socket.once('close', () => {
      closed += 1
    })
  }

  // the first eight are served, and ten wait
  await eventually(() => closed >= 12)
  await nothingMoreComes()

  expect(closed).toBe(12)
})

test('connections that are refused unread at the same time are so four in a turn, whatever that takes', async () => {
  const loop = fakeLoop()
  const arrivals = { turns: loop.turns, senders: openKnownSenders() }
  const app = { callback: () => () => undefined, arrivals }
  const limits = { headersTimeout: 10, connectionsCheckingInterval: 10 }
  const server = await startServer({ app, host, port: 0, limits })
  closing.push(() => server.stop(10))
  const sockets = Array.from({ length: 10 }, () => opened(server.port))
  let refused = 0
  for (const socket of sockets) {
    socket.once('data', () => {
      refused += 1
    })
  }
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  await eventually(() => loop.expected() > 0)
  await nothingMoreComes(50)
  // the turn in which they came
  loop.pass()

  const inTurns: number[] = []
  for (let passed = 0; passed < 3; passed += 1) {
    const before = refused
    loop.pass()
    await eventually(() => refused > before)
    await nothingMoreComes()
    inTurns.push(refused)
  }

  expect(inTurns).toEqual([4, 8, 10])
})

const countOf = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })
