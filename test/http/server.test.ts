import { Agent, request } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { type RunningServer, startServer } from '../../src/http/server.ts'
import { ids, memoryService, slowToRecord, tokenWith } from './support/memoryService.ts'
import { openDoor } from './support/openDoor.ts'
import { sendRequest } from './support/sendRequest.ts'

const token = tokenWith('eval')
const body = { flow_id: ids.flow, target: { phone_number: '+15551234567' } }
const place = { method: 'POST', path: '/v2/watch/eval' }

let closing: (() => Promise<unknown>)[] = []

afterEach(async () => {
  await Promise.all(closing.map((close) => close()))
  closing = []
})

/** A service in which evaluations wait until they are let go. */
function slowService() {
  let begun: () => void = () => {}
  let letGo: () => void = () => {}
  const started = new Promise<void>((resolve) => {
    begun = resolve
  })
  const released = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const beforeRecording = async () => {
    begun()
    await released
  }
  return { service: slowToRecord(beforeRecording), started, letGo: () => letGo() }
}

async function serve(service = memoryService()): Promise<RunningServer> {
  const door = await openDoor(service)
  closing.push(door.close)
  return { port: door.port, stop: async () => true }
}

test('a client that leaves in the middle of its body harms nobody', async () => {
  const { port } = await serve()
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
  const agent = new Agent()
  const received = await sendRequest({ ...place, port, agent }, { token, body })

  expect(received.status).toBe(200)
})

test('a port that is taken is refused with the reason of the system', async () => {
  const { port } = await serve()
  const app = { callback: () => () => undefined }

  await expect(startServer({ app, host: '127.0.0.1', port })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  })
})

describe('stopping', () => {
  /** A door whose server is stopped by the test itself. */
  async function stoppable() {
    const slow = slowService()
    const { buildApp } = await import('../../src/http/app.ts')
    const { default: pino } = await import('pino')
    const logger = pino({ level: 'silent' })
    const app = buildApp({ service: slow.service, logger, inFlightMax: 10, trustedProxies: 0 })
    const server = await startServer({ app, host: '127.0.0.1', port: 0 })
    const agent = new Agent({ keepAlive: true })
    closing.push(async () => agent.destroy())
    const send = () => sendRequest({ ...place, port: server.port, agent }, { token, body })
    return { ...slow, server, send }
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
