import { Agent } from 'node:http'
import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { buildApp } from '../../src/http/app.ts'
import { listRoutes } from '../../src/http/routes.ts'
import { startServer } from '../../src/http/server.ts'
import { memoryService } from './support/memoryService.ts'
import { sendRequest } from './support/sendRequest.ts'

const openProjector = async () => {
  const app = buildApp({
    service: memoryService(),
    logger: pino({ level: 'silent' }),
    inFlightMax: 10,
    trustedProxies: 0,
    role: 'projector',
  })
  const server = await startServer({ app, host: '127.0.0.1', port: 0 })
  const agent = new Agent()
  onTestFinished(async () => {
    agent.destroy()
    await server.stop(1_000)
  })
  return (method: string, path: string) =>
    sendRequest<Record<string, unknown>>({ port: server.port, agent, method, path }, {})
}

test('a projector answers for its own health and metrics', async () => {
  const ask = await openProjector()

  expect((await ask('GET', '/health/live')).status).toBe(200)
  expect((await ask('GET', '/health/ready')).status).toBe(200)
  expect((await ask('GET', '/metrics')).status).toBe(401)
})

test('everything else is misdirected there, never simply not found', async () => {
  const ask = await openProjector()
  const paths = listRoutes().map(({ path }) => path)
  const asked = paths.filter((path) => !/^\/(?:health\/|metrics$)/.test(path))
  expect(asked.length).toBeGreaterThan(30)

  for (const path of [...asked, '/', '/nowhere', '/metrics/x', '/healthy']) {
    const { status, body } = await ask('GET', path)

    expect([path, status, body['code']]).toEqual([path, 421, 'misdirected_request'])
  }
})
