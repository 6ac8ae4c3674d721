import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { inOrder } from '../../src/http/request/inOrder.ts'
import { eventually } from '../support/eventually.ts'

let server: Server | undefined

afterEach(async () => {
  server?.closeAllConnections()
  await new Promise((resolve) => server?.close(resolve))
})

/** A server that notes which paths it began to serve, and a connection to it. */
async function openServer() {
  const begun: string[] = []
  const answers: ServerResponse[] = []
  server = createServer(
    inOrder((req, res) => {
      begun.push(req.url ?? '')
      answers.push(res)
    }),
  )
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  return { begun, answers, socket }
}

const ask = (socket: Socket, paths: readonly string[]) =>
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''))

test('requests behind one another on a connection are served one at a time, and answered in their order', async () => {
  const { begun, answers, socket } = await openServer()
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString()
  })
  ask(socket, ['/1', '/2', '/3'])
  await eventually(() => begun.length === 1)
  const first = [...begun]
  answers[0]?.end('one')
  await eventually(() => begun.length === 2)
  answers[1]?.end('two')
  await eventually(() => begun.length === 3)
  answers[2]?.end('three')
  await eventually(() => received.endsWith('three'))

  expect(first).toEqual(['/1'])
  expect(received).toMatch(/one.*two.*three/s)
})

test('the next one is not begun for a client that does not take the answer before it, nor once it has left', async () => {
  const { begun, answers, socket } = await openServer()
  socket.pause()
  ask(socket, ['/1', '/2'])
  await eventually(() => begun.length === 1)
  const [answer] = answers
  answer?.end('x'.repeat(64 * 1024 * 1024))
  const closed = new Promise((resolve) => answer?.once('close', resolve))
  await eventually(() => answer?.writableEnded === true)
  const meanwhile = begun.length
  socket.destroy()
  await closed

  expect(meanwhile).toBe(1)
  expect(begun).toEqual(['/1'])
})

test('a client that sends more behind one another than are kept loses its connection', async () => {
  const { begun, socket } = await openServer()
  const closed = new Promise((resolve) => socket.once('close', resolve))
  ask(
    socket,
    Array.from({ length: 40 }, (_, index) => `/${index}`),
  )
  await closed

  expect(begun).toEqual(['/0'])
})
