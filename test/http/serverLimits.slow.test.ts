import { IncomingMessage, ServerResponse } from 'node:http'
import { connect, Socket } from 'node:net'
import pino from 'pino'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { ImportLine } from '../../src/commands/lists/importEntries.ts'
import { buildApp } from '../../src/http/app.ts'
import { type RunningServer, startServer } from '../../src/http/server.ts'
import { ids, memoryService, tokenWith, withContext } from './support/memoryService.ts'

const logger = pino({ level: 'silent' })
const token = tokenWith('eval')
const host = '127.0.0.1'

let server: RunningServer | undefined

afterEach(async () => {
  await server?.stop(1_000)
  server = undefined
})

/** An import that answers each line at once. */
vi.mock('../../src/commands/lists/importEntries.ts', () => ({
  importEntries: async (_: unknown, __: unknown, { lines }: { lines: AsyncIterable<ImportLine> }) =>
    (async function* () {
      for await (const { line } of lines) yield [{ line, value: '', result: 'added' } as const]
    })(),
}))
const service = memoryService()

const appWith = (trustedProxies: number) =>
  buildApp({ service, logger, inFlightMax: 10, trustedProxies })

async function serve(limits: Parameters<typeof startServer>[0]['limits']): Promise<number> {
  const quick = { connectionsCheckingInterval: 10, ...limits }
  server = await startServer({ app: appWith(0), host, port: 0, limits: quick })
  return server.port
}

/** What a connection receives until the server closes it, when these texts are sent and then nothing more. */
function received(port: number, ...texts: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => {
      for (const text of texts) socket.write(text)
    })
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk.toString()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}

const errorIn = (answer: string): unknown => JSON.parse(answer.split('\r\n\r\n').at(-1) ?? '')

const head =
  `POST /v2/watch/eval HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
  'Content-Type: application/json\r\nContent-Length: 100\r\n'

const importHead =
  'POST /v2/verification/management/phone-numbers/block/import HTTP/1.1\r\nHost: x\r\n' +
  `Authorization: Bearer ${tokenWith('manage')}\r\nContent-Type: application/x-ndjson\r\n` +
  'Content-Length: 1000000\r\n'

describe('a client that is slow', () => {
  test('with its headers is answered 408, and the connection is closed', async () => {
    const port = await serve({ headersTimeout: 60 })

    const answer = await received(port, head)

    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
    expect(answer).toContain('Connection: close')
    expect(errorIn(answer)).toMatchObject({ code: 'request_timeout', type: 'request_timeout' })
  })

  test('with its body is answered 408, and the connection is closed', async () => {
    const port = await serve({ headersTimeout: 60, requestTimeout: 120 })

    const answer = await received(port, `${head}\r\n{"flow_id"`)

    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
    expect(errorIn(answer)).toMatchObject({ code: 'request_timeout' })
  })

  test('with lines that are answered as they come is served, until no more of them come', async () => {
    const timeout = 2_000
    const port = await serve({ timeout })
    const untilMs = performance.now() + timeout * 2.5
    const socket = connect(port, host).on('error', () => undefined)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    // so long that enough of them come also where a busy machine lets few be sent
    const line = `{}${' '.repeat(1_000)}\n`
    socket.write(`${importHead}\r\n${line}`)
    const sending = setInterval(() => {
      if (performance.now() < untilMs) socket.write(line)
    }, 10)
    let answers = ''
    socket.on('data', (chunk) => {
      answers += String(chunk)
    })

    await closed
    clearInterval(sending)

    expect(performance.now()).toBeGreaterThan(untilMs)
    expect(answers.match(/"added"/g)?.length).toBeGreaterThan(10)
  })

  test('and sends nothing at all loses its connection', async () => {
    const port = await serve({ headersTimeout: 60 })

    const answer = await received(port)

    expect(answer).toMatch(/^(?:HTTP\/1\.1 408 |$)/)
  })

  test('between two requests loses its connection, without an answer to what it did not ask', async () => {
    const port = await serve({ keepAliveTimeout: 30 })

    const answer = await received(port, 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n')

    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1)
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('a client that does not close its side', () => {
  /** What is refused for something else is not late on a busy machine. */
  const patientMs = 1_000
  const refusedAndStill = async (text: string, headersTimeout = 60): Promise<string> => {
    const port = await serve({ headersTimeout, requestTimeout: 2 * headersTimeout })
    const socket = connect({ port, host, allowHalfOpen: true }, () => socket.write(text))
    socket.on('error', () => undefined)
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk.toString()
    })
    await new Promise((resolve) => socket.once('end', resolve).once('close', resolve))
    const isLetGo = await server?.stop(20_000)
    socket.destroy()
    expect(isLetGo).toBe(true)
    return answer
  }

  test.each([
    ['its headers are not whole', head, 408, 60],
    ['its body is not whole', `${head}\r\n{"flow_id"`, 408, 60],
    ['it does not speak HTTP', 'HELLO\r\n\r\n', 400, patientMs],
  ])('is refused when %s, and loses its connection', async (...row) => {
    const [, text, status, headersTimeout] = row

    const answer = await refusedAndStill(text, headersTimeout)

    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  })

  test('nor sends the rest of a body that was refused is answered once, and loses its connection', async () => {
    const answer = await refusedAndStill(`${head.replace('100', '100000000')}\r\n{`, patientMs)

    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413'])
  })
})

test('a client that is slow holds up nobody else', async () => {
  const port = await serve({})
  const slow = Array.from({ length: 50 }, () => connect(port, host).on('error', () => undefined))
  for (const socket of slow) socket.write(head)

  const answer = await received(
    port,
    'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  )
  for (const socket of slow) socket.destroy()

  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
})

describe('a client that does not read its answer', () => {
  const large = { id: ids.rule, name: 'x'.repeat(24 * 1024 * 1024) }
  const ask = async () => ({ items: [large] }) as never
  const serveLarge = async (timeout: number) => {
    const app = buildApp({
      service: withContext(memoryService(), { heavyQueries: { listRules: ask } as never }),
      logger,
      inFlightMax: 10,
      trustedProxies: 0,
    })
    const cut = new Promise<void>((resolve) => {
      app.middleware.unshift(({ req }, next) => {
        req.socket.once('close', () => resolve())
        return next()
      })
    })
    const limits = { connectionsCheckingInterval: 10, timeout }
    server = await startServer({ app, host, port: 0, limits })
    return { port: server.port, cut }
  }
  const request = `GET /v2/watch/management/rules HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tokenWith('author')}\r\n\r\n`

  test('loses its connection, and the answer its memory', async () => {
    const { port, cut } = await serveLarge(100)
    const socket = connect(port, host, () => socket.write(request))
    socket.pause()
    const closed = new Promise((resolve) => socket.once('close', resolve))
    // a connection that was cut is an error to who waits for more
    socket.on('error', () => undefined)

    await cut
    let length = 0
    socket.on('data', (chunk) => {
      length += chunk.length
    })
    socket.resume()
    await closed

    expect(length).toBeLessThan(large.name.length)
  })

  test('but one that reads it at once has all of it', async () => {
    const { port } = await serveLarge(60_000)

    const answer = await received(
      port,
      request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
    )

    expect(answer.length).toBeGreaterThan(large.name.length)
  })
})

test('more headers than anybody needs are not all read', async () => {
  const port = await serve({})
  const many = Array.from({ length: 500 }, (_, index) => `X-${index}: x\r\n`).join('')

  const answer = await received(
    port,
    `GET /v2/watch/management/rules HTTP/1.1\r\nHost: x\r\n${many}Authorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
  )

  // Node 20 leaves out what is too much, the token with it; later ones refuse the whole request.
  expect(answer).toMatch(/^HTTP\/1\.1 (401|431) /)
})

describe("the client's address", () => {
  const addressWith = (trustedProxies: number, forwarded?: string) => {
    const req = new IncomingMessage(new Socket())
    Object.defineProperty(req.socket, 'remoteAddress', { value: '198.51.100.1' })
    if (forwarded !== undefined) req.headers['x-forwarded-for'] = forwarded
    return appWith(trustedProxies).createContext(req, new ServerResponse(req)).ip
  }

  test.each([
    ['is that of the connection', 0, undefined, '198.51.100.1'],
    ['is not what the client says when no proxy is trusted', 0, '203.0.113.9', '198.51.100.1'],
    ['is what the one trusted proxy says', 1, '203.0.113.9', '203.0.113.9'],
    [
      'is what the last proxy says, not what the client had claimed before it',
      1,
      '192.0.2.66, 203.0.113.9',
      '203.0.113.9',
    ],
    [
      'is what the first of two proxies says',
      2,
      '192.0.2.66, 203.0.113.9, 10.0.0.2',
      '203.0.113.9',
    ],
    ['is that of the connection when a trusted proxy says nothing', 1, undefined, '198.51.100.1'],
  ])('%s', (...row) => {
    const [, trustedProxies, forwarded, expected] = row

    const address = addressWith(trustedProxies, forwarded)

    expect(address).toBe(expected)
  })
})
