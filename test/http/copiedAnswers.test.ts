import { createServer, type RequestListener, ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CopiedAnswer } from '../../src/http/server.ts'

/** What a client is sent, to the end of the connection, and what the connection was given to send. */
async function exchange(
  answer: RequestListener,
  {
    Response = CopiedAnswer,
    method = 'GET',
  }: { Response?: typeof ServerResponse; method?: string },
) {
  const given: unknown[][] = []
  const server = createServer({ ServerResponse: Response, keepAlive: false }, (req, res) => {
    const { socket } = req
    const write = socket.write.bind(socket)
    socket.write = ((...args: unknown[]) => {
      given.push(args.slice(0, 2))
      return Reflect.apply(write, socket, args) as boolean
    }) as Socket['write']
    res.setHeader('Connection', 'close')
    res.removeHeader('Date')
    answer(req, res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const chunks: Buffer[] = []
  await new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('data', (chunk) => chunks.push(chunk)).on('error', reject)
    socket.once('close', resolve)
    socket.write(`${method} / HTTP/1.1\r\nHost: a\r\n\r\n`)
  })
  return { given, sent: Buffer.concat(chunks).toString('latin1') }
}

const withLength =
  (text: string): RequestListener =>
  (_, res) => {
    res.setHeader('Content-Length', Buffer.byteLength(text))
    res.end(text)
  }

const behindAnother: RequestListener = (_, res) => {
  res.write('é')
  res.end(long)
}

const long = JSON.stringify(Array.from({ length: 200 }, (_, index) => `rul_${index}`))

describe('an answer that is sent as it lies in memory', () => {
  test.each<[string, RequestListener, string]>([
    ['a long text', withLength(long), 'GET'],
    ['a long text of Latin-1', withLength(`${long}é`), 'GET'],
    ['a long text of other characters', withLength(`${long}😀中`), 'GET'],
    ['a short text', withLength('{"a":"é"}'), 'GET'],
    ['an empty text', withLength(''), 'GET'],
    ['a text that does not say its length', (_, res) => res.end(`${long}é`), 'GET'],
    ['a text in an encoding of its own', (_, res) => res.end(`${long}é`, 'latin1'), 'GET'],
    ['bytes', (_, res) => res.end(Buffer.from(`${long}é`)), 'GET'],
    ['nothing', (_, res) => res.end(), 'GET'],
    ['nothing, and a callback', (_, res) => res.end(() => undefined), 'GET'],
    ['a text behind another', behindAnother, 'GET'],
    ['the headers of a text', withLength(long), 'HEAD'],
  ])('is the same to the byte: %s', async (_, answer, method) => {
    const { sent } = await exchange(answer, { method })

    expect(sent).toBe((await exchange(answer, { Response: ServerResponse, method })).sent)
  })

  test('is neither joined to its headers nor encoded where it is of ASCII', async () => {
    const [headers, body] = (await exchange(withLength(long), {})).given

    expect(headers?.[0]).toBe(
      `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${long.length}\r\n\r\n`,
    )
    expect(body).toEqual([long, 'latin1'])
  })
})
