/** A server that answers as it is told and remembers what it was asked. */

import { createServer, type IncomingHttpHeaders } from 'node:http'
import { onTestFinished } from 'vitest'
import { listen } from '../../support/listen.ts'

export interface Question {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Reply {
  readonly status?: number
  /** An object is sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answers {
  readonly url: string
  readonly asked: Question[]
  readonly close: () => Promise<void>
}

/** Listens on a port of its own until the test is over. A reply of undefined breaks the connection. */
export async function openAnswers(
  reply: (question: Question, number: number) => Reply | undefined,
): Promise<Answers> {
  const asked: Question[] = []
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const { method = '', url: path = '', headers } = incoming
      const question = { method, path, headers, body: Buffer.concat(chunks).toString('utf8') }
      asked.push(question)
      const given = reply(question, asked.length)
      if (!given) {
        incoming.socket.destroy()
        return
      }
      response.writeHead(given.status ?? 200, given.headers)
      response.end(typeof given.body === 'string' ? given.body : JSON.stringify(given.body ?? {}))
    })
  })
  const { port, close } = await listen(server)
  onTestFinished(close)
  return { url: `http://127.0.0.1:${port}`, asked, close }
}
