/**
 * What the list of a user's sessions is compared with: a plain Koa server that verifies the token with `jose` and
 * answers the very same bytes.
 */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Router } from '@koa/router'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import Koa from 'koa'
import { answerMessages } from './childProcess.ts'

export interface SessionReferenceOrder {
  readonly keys: JSONWebKeySet
  readonly issuer: string
  readonly audience: string
  readonly body: Buffer
}

answerMessages<SessionReferenceOrder, number>(serve)

function serve({ keys, issuer, audience, body }: SessionReferenceOrder): Promise<number> {
  const findKey = createLocalJWKSet(keys)
  const answer = Buffer.from(body).toString()
  const router = new Router()
  router.get('/v1/session/me/list', async (ctx) => {
    const token = (ctx.req.headers.authorization ?? '').slice('Bearer '.length)
    await jwtVerify(token, findKey, { issuer, audience, algorithms: ['EdDSA'], clockTolerance: 5 })
    ctx.set('Content-Type', 'application/json; charset=utf-8')
    ctx.body = answer
  })
  const app = new Koa()
  app.use(router.routes())
  const handle = app.callback()
  const server = createServer((req, res) => void handle(req, res))
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}
