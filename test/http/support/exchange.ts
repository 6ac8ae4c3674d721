/** Speaks to a port in bytes, as no HTTP client would. */

import { connect } from 'node:net'

/**
 * Everything that the connection is sent until the server closes it. Each text after the first is written when
 * something has come.
 */
export function exchange(port: number, ...texts: readonly string[]): Promise<string> {
  const waiting = [...texts]
  return new Promise((resolve, reject) => {
    const writeNext = (): unknown => socket.write(waiting.shift() ?? '', 'latin1')
    const socket = connect(port, '127.0.0.1', writeNext)
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk.toString()
      if (waiting.length > 0) writeNext()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(received))
  })
}

export interface RawAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: unknown
}

/** The last answer of what a connection was sent, its body read as JSON. */
export function lastAnswer(received: string): RawAnswer {
  const start = received.lastIndexOf('HTTP/1.1 ')
  const [head = '', text = ''] = received.slice(start).split('\r\n\r\n', 2)
  const [first = '', ...lines] = head.split('\r\n')
  const headers = lines.map((line) => line.split(': ', 2) as [string, string])
  return {
    status: Number(first.split(' ', 2)[1]),
    headers: new Map(headers.map(([name, value]) => [name.toLowerCase(), value])),
    body: text === '' ? undefined : JSON.parse(text),
  }
}
