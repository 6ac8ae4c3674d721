/**
 * A user's list of sessions: who asks, whether the session goes on, and what is known of the devices; against a plain
 * server that only answers.
 */

import type { JSONWebKeySet } from 'jose'
import type { Benchmark } from './benchmark.ts'
import { type Helper, startHelper, startVigil, temporaryFolder } from './childProcess.ts'
import { type Figure, figureOf } from './figure.ts'
import { openLine } from './line.ts'
import type { LoadReport, RequestsOrder } from './loadGenerator.ts'
import { settled } from './readiness.ts'
import { appId, appHost as host, inParallel, openApp } from './sessionApp.ts'
import type { SessionReferenceOrder } from './sessionReference.ts'
import { median, ratios } from './statistics.ts'

const connections = 64
const sessionsOfUser = 10
const against = 'Koa with router, answering the same bytes after verifying the token with jose'

/** Measures lists per second of a user with ten sessions, among many users with one each. */
export const listSessions: Benchmark = async ({ size }) => {
  const folder = temporaryFolder()
  const vigil = await startVigil(folder.path)
  const reference = startHelper('./sessionReference.ts')
  const load = startHelper('./loadGenerator.ts')
  const userCount = { full: 10_000, quick: 1_000, smallest: 50 }[size]
  try {
    const token = await signIn(vigil.port, userCount)
    await settled(vigil.port)
    const order = {
      connections,
      requests: [
        `GET /v1/session/me/list HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      ],
    }
    const durationMs = { full: 8_000, quick: 2_000, smallest: 100 }[size]
    const { sample } = await run(load, { ...order, port: vigil.port, durationMs })
    const keys = await keysOf(vigil.port)
    const parties = { issuer: `https://${host}`, audience: appId }
    const asked = { keys, ...parties, body: bodyOf(sample) } satisfies SessionReferenceOrder
    const port = await reference.ask<number>(asked)
    await run(load, { ...order, port, durationMs })
    const ours: number[] = []
    const theirs: number[] = []
    for (let round = 0; round < { full: 9, quick: 3, smallest: 1 }[size]; round += 1) {
      theirs.push((await run(load, { ...order, port, durationMs })).requestsPerSecond)
      ours.push((await run(load, { ...order, port: vigil.port, durationMs })).requestsPerSecond)
    }
    return [figure(userCount, ours, theirs)]
  } finally {
    await load.stop()
    await reference.stop()
    await vigil.stop()
    folder.remove()
  }
}

function figure(users: number, ours: readonly number[], theirs: readonly number[]): Figure {
  return figureOf(
    {
      name: `GET /v1/session/me/list, ${sessionsOfUser} sessions, among ${users} users, ${connections} connections, embedded store`,
      against,
      unit: 'of its requests/s',
      target: { bound: 'at least', value: 0.7 },
    },
    ratios(ours, theirs),
    [`Vigil ${median(ours).toFixed(0)}/s, Koa ${median(theirs).toFixed(0)}/s`],
  )
}

/** So many users with a session each, and the token of one who has ten. */
async function signIn(port: number, userCount: number): Promise<string> {
  const app = await openApp(port, { access_seconds: 86_400 })
  await inParallel(userCount - 1, async (index) => {
    await app.startSession(await app.newUser(`user ${index}`))
  })
  const user = await app.newUser('the one who asks')
  let access = ''
  for (let count = 0; count < sessionsOfUser; count += 1) {
    access = (await app.startSession(user)).access_token
  }
  return access
}

/** The application's keys, asked of its host. */
async function keysOf(port: number): Promise<JSONWebKeySet> {
  const request = `GET /.well-known/jwks.json HTTP/1.1\r\nHost: ${host}\r\n\r\n`
  const line = await openLine(port)
  const answer = await line.send(Buffer.from(request))
  line.close()
  return JSON.parse(bodyOf(answer).toString()) as JSONWebKeySet
}

function run(load: Helper, order: RequestsOrder): Promise<LoadReport> {
  return load.ask<LoadReport>(order)
}

function bodyOf(answer: Uint8Array): Buffer {
  const whole = Buffer.from(answer)
  return whole.subarray(whole.indexOf('\r\n\r\n') + 4)
}
