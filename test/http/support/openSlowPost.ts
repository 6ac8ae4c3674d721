/** A POST over a connection of its own, which names a body and sends the beginning of it, and then nothing. */

import { connect } from 'node:net'

interface SlowPost {
  /** What came back until the connection was closed. */
  readonly received: Promise<string>
  /** What has come back so far. */
  readonly receivedYet: () => string
  readonly send: (text: string) => void
  readonly leave: () => void
}

interface SlowPostOptions {
  readonly port: number
  readonly token: string
  /** Of the body, in bytes; sent in chunks when it is not said. */
  readonly length?: number
  /** Where it is sent; an evaluation unless given. */
  readonly path?: string
}

export function openSlowPost({
  port,
  token,
  length,
  path = '/v2/watch/eval',
}: SlowPostOptions): SlowPost {
  const size = length === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`
  let text = ''
  const socket = connect(port, '127.0.0.1', () =>
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
        `Content-Type: application/json\r\n${size}\r\n\r\n${length === undefined ? '' : '{'}`,
    ),
  )
  socket.on('data', (chunk) => {
    text += chunk.toString()
  })
  const received = new Promise<string>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
  })
  // a connection that is reset fails only the test that waits for what came back
  received.catch(() => undefined)
  return {
    received,
    receivedYet: () => text,
    send: (more) => socket.write(more),
    leave: () => socket.destroy(),
  }
}
