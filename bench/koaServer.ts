/**
 * A plain Koa server for evaluations: it parses the body, checks the token and the schema, and leaves the answer to
 * whoever opens it.
 */

import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Router } from '@koa/router'
import { Ajv2020 } from 'ajv/dist/2020.js'
import Koa, { type Context } from 'koa'
import bodyParser from 'koa-bodyparser'
import { evaluateRequestSchema } from '../src/http/evaluation/evaluationBody.ts'

/** Sets the body of the answer; the request's fits its schema. */
type Answer = (ctx: Context) => void | Promise<void>

/** Listens on a port of the system's choice and resolves with it; `token` is the only one that may ask. */
export function koaServer(token: string, answer: Answer): Promise<number> {
  const kept = createHash('sha256').update(token).digest()
  const fits = new Ajv2020({
    allErrors: true,
    messages: false,
    allowUnionTypes: true,
    formats: { int64: true },
  }).compile({
    ...evaluateRequestSchema,
  })
  const router = new Router()
  router.post('/v2/watch/eval', (ctx) => {
    const given = (ctx.req.headers.authorization ?? '').slice('Bearer '.length)
    const digest = createHash('sha256').update(given).digest()
    if (!timingSafeEqual(digest, kept)) ctx.throw(401)
    if (!fits(ctx.request.body)) ctx.throw(400)
    ctx.set('Content-Type', 'application/json; charset=utf-8')
    return answer(ctx)
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
