/** What the service is compared with: a plain Koa server that answers the very same bytes, from memory or stringified each time. */

import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Router } from '@koa/router'
import { Ajv2020 } from 'ajv/dist/2020.js'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import { evaluateRequestSchema } from '../src/http/evaluation/evaluateRequestSchema.ts'
import { answerMessages } from './childProcess.ts'

export interface ReferenceOrder {
  readonly token: string
  readonly body: Buffer
  /** Whether the answer is made into text for each request, as without a record it would have to be; else it is sent as it is. */
  readonly stringifies?: boolean
}

answerMessages<ReferenceOrder, number>(serve)

function serve({ token, body, stringifies = false }: ReferenceOrder): Promise<number> {
  const kept = createHash('sha256').update(token).digest()
  const fits = new Ajv2020({ allErrors: true, messages: false, formats: { int64: true } }).compile({
    ...evaluateRequestSchema,
  })
  const text = body.toString()
  const answer: unknown = stringifies ? JSON.parse(text) : text
  const router = new Router()
  router.post('/v2/watch/eval', (ctx) => {
    const given = (ctx.req.headers.authorization ?? '').slice('Bearer '.length)
    const digest = createHash('sha256').update(given).digest()
    if (!timingSafeEqual(digest, kept)) ctx.throw(401)
    if (!fits(ctx.request.body)) ctx.throw(400)
    ctx.set('Content-Type', 'application/json; charset=utf-8')
    ctx.body = answer
  })
  const app = new Koa()
  app.use(bodyParser())
  app.use(router.routes())
  const handle = app.callback()
  const server = createServer((req, res) => void handle(req, res))
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}
