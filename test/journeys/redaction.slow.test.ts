/** Who is asked about, and what opens a door, stands in no line of the log, whatever is asked of every operation. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ServiceContext } from '../../src/app/serviceContext.ts'
import { listRoutes } from '../../src/http/routes.ts'
import { openLog } from '../../src/log.ts'
import { operatorToken } from '../support/openVigil.ts'
import { openDay } from './support/openDay.ts'
import { type Asked, requestOf } from './support/recordExamples.ts'

/** What the day of the shop tells of its people. */
const told = {
  phone: '+33612345678',
  national: '612345678',
  email: 'ada@example.com',
  user: 'Ann@Example.com',
  ip: '192.0.2.7',
  device: 'iPhone17,2',
  password: 'correct horse battery staple',
  ownPassword: 'another correct horse',
  legacyToken: 'legacy-session-8c1f',
}

/** What is put into every request beside it. */
const added = {
  phone: '+33698765432',
  email: 'ann.hidden@example.org',
  ip: '203.0.113.99',
  password: 'correct-horse-battery',
  cookie: 'session-cookie-of-ann',
  token: 'vgl_0a_0b_NobodyKnowsThisToken',
}

const headers = { cookie: added.cookie, 'user-agent': `${added.email} ${added.ip}` }
const query = new URLSearchParams({ x: added.phone, y: added.token })

/**
 * The same with a number in every expression, and an address in every name, reason and description but those that
 * expressions spell.
 */
function named(body: Asked['body']): Asked['body'] {
  if (typeof body !== 'object') return body
  const change = (key: string, value: unknown) => {
    if (key === 'expression') return `${value} || target.phone_number == "${added.phone}"`
    const isFree = key === 'name' ? !/^[a-z_]+$/.test(String(value)) : /^reason$|^descr/.test(key)
    return isFree && typeof value === 'string' ? `${value} ${added.email}` : value
  }
  return JSON.parse(JSON.stringify(body, change))
}

/** The body with secrets where nobody expects them. */
function brokenOf(body: Asked['body']): object | string {
  if (typeof body === 'string') return `${body}${added.email},${added.ip}`
  return { ...body, [added.email]: added.password, ip: added.ip }
}

/** What an answer or a request holds under names of tokens, proofs and keys. */
function opening(value: unknown): readonly string[] {
  const found: string[] = []
  JSON.stringify(value, (key, part) => {
    if (typeof part === 'string' && /token$|^sdk_key$|^dpop$/.test(key)) found.push(part)
    return part
  })
  return found
}

/** Questions fail from now on and quote all that they were given, as a careless library might. */
function breakCarelessly(context: ServiceContext): void {
  const careless = (part: object): object =>
    Object.fromEntries(
      Object.keys(part).map((name) => [
        name,
        (...given: unknown[]) => {
          const quoted = JSON.stringify(given)
          const cause = new Error(quoted)
          return Promise.reject(new Error(`${name} failed for ${quoted}`, { cause }))
        },
      ]),
    )
  const { documents, heavyQueries } = context
  Object.assign(context, { documents: careless(documents), heavyQueries: careless(heavyQueries) })
}

const folder = mkdtempSync(join(tmpdir(), 'vigil-secrets-'))
const file = join(folder, 'log')
const log = openLog({ level: 'trace', destination: file })
let nowMs = 0
const { vigil, recorder, live } = await openDay({
  logger: log.logger,
  linesPerSecond: 1_000_000,
  // no bucket is ever empty
  nowMs: () => {
    nowMs += 60_000
    return nowMs
  },
})

test('secrets sent through every route of a real service never stand in its log', async () => {
  const routes = new Map(listRoutes().map((route) => [route.operationId, route]))
  const asked: Asked[] = []
  const openers = new Set<string>([operatorToken])
  let sent = 0

  /** Sends the request with secrets in every part of it. */
  const sendBroken = async ({ body, parameters, ...question }: Asked, token?: string) => {
    const route = routes.get(question.operation) ?? expect.fail(question.operation)
    const version = parameters?.['version_id'] && { version_id: added.phone }
    const request = requestOf(route, { ...question, parameters: { ...parameters, ...version } })
    const path = `${request.path}${request.path.includes('?') ? '&' : '?'}${query}`
    sent += 1
    await vigil.door.request(route.method, path, {
      ...request.sent,
      token,
      headers: { ...request.sent.headers, ...headers },
      body: brokenOf(body),
    })
  }

  await live({
    refused: async () => undefined,
    ask: async (question) => {
      const given = { ...question, body: named(question.body) } as Asked
      for (const one of opening([given])) openers.add(one)
      asked.push(given)
      for (const token of [operatorToken, given.token, added.token, undefined]) {
        await sendBroken(given, token)
      }
      sent += 1
      const answer = await recorder.ask({ ...given, headers: { ...headers, ...given.headers } })
      for (const one of opening(answer)) openers.add(one)
      return answer
    },
  })
  breakCarelessly(vigil.service.context)
  for (const one of asked) {
    const route = routes.get(one.operation) ?? expect.fail(one.operation)
    const request = requestOf(route, { ...one, headers })
    await vigil.door.request(route.method, request.path, request.sent)
  }
  await vigil.service.close()
  for (const one of asked) await sendBroken(one, one.token).catch(() => undefined)
  await vigil.door.close()
  await log.close()
  const text = readFileSync(file, 'utf8')
  rmSync(folder, { recursive: true })

  const requests = text.split('\n').filter((line) => line.includes('"msg":"request"'))
  expect(requests.length).toBeGreaterThanOrEqual(sent)
  expect(text.match(/unexpected failure/g)?.length).toBeGreaterThan(20)
  const everything = JSON.stringify(asked)
  expect(Object.values(told).filter((secret) => !everything.includes(secret))).toEqual([])
  expect(openers.size).toBeGreaterThan(8)
  const secrets = [...Object.values(told), ...Object.values(added), ...openers]
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
})
