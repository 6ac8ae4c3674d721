import { Agent, request } from 'node:http'
import pino from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { buildApp } from '../../src/http/app.ts'
import { startServer } from '../../src/http/server.ts'
import { ids, memoryService, slowToRecord, tokenWith } from './support/memoryService.ts'
import { openDoorOfTest } from './support/openDoorOfTest.ts'
import { sendRequest } from './support/sendRequest.ts'

const token = tokenWith('eval')
const body = { flow_id: ids.flow, target: { phone_number: '+15551234567' } }
const place = { method: 'POST', path: '/v2/watch/eval' }

test('a client that leaves in the middle of its body harms nobody', async () => {
  const { port, request: ask } = await openDoorOfTest(memoryService())
  const leaving = request({
    ...place,
    port,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': 1_000,
    },
  })
  leaving.on('error', () => {})

  await new Promise<void>((resolve) => leaving.write('{"flow_id"', () => resolve()))
  leaving.destroy()
  const received = await ask(place.method, place.path, { token, body })

  expect(received.status).toBe(200)
})

test('a port that is taken is refused with the reason of the system', async () => {
  const { port } = await openDoorOfTest(memoryService())
  const app = { callback: () => () => undefined }

  await expect(startServer({ app, host: '127.0.0.1', port })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  })
})

describe('stopping', () => {
  /** A server that is stopped by the test itself, of a service in which evaluations wait until they are let go. */
  async function stoppable() {
    let begun: () => void = () => {}
    let letGo: () => void = () => {}
    const started = new Promise<void>((resolve) => {
      begun = resolve
    })
    const released = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const service = slowToRecord(async () => {
      begun()
      await released
    })
    const logger = pino({ level: 'silent' })
    const app = buildApp({ service, logger, inFlightMax: 10, trustedProxies: 0 })
    const server = await startServer({ app, host: '127.0.0.1', port: 0 })
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    const send = () => sendRequest({ ...place, port: server.port, agent }, { token, body })
    return { started, letGo, server, send }
  }

  test('answers what is under way, tells the client to leave, and takes no more', async () => {
    const { server, send, started, letGo } = await stoppable()
    const under = send()
    await started

    const stopped = server.stop(10_000)
    letGo()
    const received = await under

    expect(received.status).toBe(200)
    expect(received.headers.connection).toBe('close')
    expect(await stopped).toBe(true)
    await expect(send()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  test('does not wait for connections that are idle', async () => {
    const { server, send, letGo } = await stoppable()
    letGo()
    await send()

    expect(await server.stop(10_000)).toBe(true)
  })

  test('cuts off what does not end in time, and says so', async () => {
    const { server, send, started, letGo } = await stoppable()
    const under = send().catch((error: Error) => error)
    await started

    const finished = await server.stop(20)
    letGo()

    expect(finished).toBe(false)
    expect(await under).toMatchObject({ code: 'ECONNRESET' })
  })
})
