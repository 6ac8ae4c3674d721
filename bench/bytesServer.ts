/** A bare Koa server that answers every request with the same bytes from memory. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { answerMessages } from './childProcess.ts'

export interface BytesOrder {
  readonly body: Buffer
}

answerMessages<BytesOrder, number>(serve)

function serve({ body }: BytesOrder): Promise<number> {
  const answer = Buffer.from(body).toString()
  const app = new Koa()
  app.use((ctx) => {
    ctx.set('Content-Type', 'application/json; charset=utf-8')
    ctx.body = answer
  })
  const handle = app.callback()
  const server = createServer((req, res) => void handle(req, res))
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}
