import { EventEmitter, once } from 'node:events'
import { connect, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../support/listen.ts'
import { startTcpProxy } from '../support/tcpProxy.ts'

/** A connection through a proxy to a server that sends everything back, and what has come back on it. */
async function openEcho() {
  const server = createServer((socket) => socket.on('error', () => undefined).pipe(socket))
  const { port, close } = await listen(server)
  const proxy = await startTcpProxy({ port })
  const socket = connect(proxy.port, '127.0.0.1')
  onTestFinished(async () => {
    socket.destroy()
    await proxy.close()
    await close()
  })
  let text = ''
  const came = new EventEmitter()
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    came.emit('more')
  })
  const cameBack = async (end: string): Promise<string> => {
    while (!text.endsWith(end)) await once(came, 'more')
    return text
  }
  return { proxy, socket, cameBack }
}

test('given a connection that flows, when the network is thawed once more, then its bytes come once', async () => {
  const { proxy, socket, cameBack } = await openEcho()
  socket.write('<')
  await cameBack('<')
  proxy.freezeOpen()
  proxy.thaw()

  proxy.thaw()
  socket.write('abc')
  socket.write('>')

  expect(await cameBack('>')).toBe('<abc>')
})

test('given a frozen connection, when the network is thawed, then what was sent meanwhile comes, once', async () => {
  const { proxy, socket, cameBack } = await openEcho()
  socket.write('<')
  await cameBack('<')

  proxy.freeze()
  proxy.freeze()
  socket.write('abc')
  proxy.thaw()
  proxy.thaw()
  socket.write('>')

  expect(await cameBack('>')).toBe('<abc>')
})
