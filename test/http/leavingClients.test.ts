/** Clients that leave before their request comes to where its answer, or its body, is waited for. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { listAllEntries } from '../../src/queries/lists/entries.ts'
import { eventually } from '../support/eventually.ts'
import { everyScope, ids, memoryService, withContext } from './support/memoryService.ts'
import { openDoorOfTest } from './support/openDoorOfTest.ts'
import { openSlowPost } from './support/openSlowPost.ts'

vi.mock('../../src/queries/lists/entries.ts', async (original) => ({
  ...(await original<object>()),
  listAllEntries: vi.fn(),
}))

async function* noEntries(): AsyncGenerator<readonly never[]> {
  yield []
}

const channel = 'http.server.request.start'
const token = everyScope
const inFlightMax = 4

let answers: ServerResponse[]
let asked: number
let release: () => void
let released: Promise<void>

/** What the service does until `release`. */
const hold = async (): Promise<void> => {
  asked += 1
  await released
}
const note = (message: unknown): void => {
  answers.push((message as { response: ServerResponse }).response)
}

beforeEach(() => {
  answers = []
  asked = 0
  released = new Promise((resolve) => {
    release = resolve
  })
})
afterEach(() => {
  unsubscribe(channel, note)
  release()
})

/** So many clients begin a request; all leave while the service is busy with it. */
async function sendAndLeave(many: number, send: () => () => void): Promise<void> {
  subscribe(channel, note)
  const leave = Array.from({ length: many }, send)
  await eventually(async () => asked === many)
  for (const each of leave) each()
  await eventually(async () => answers.length === many && answers.every(({ closed }) => closed))
  release()
}

test('given clients that leave while their token is looked at, when another body comes, then theirs hold no room', async () => {
  const service = memoryService()
  const door = await openDoorOfTest(
    { ...service, authenticate: (given) => hold().then(() => service.authenticate(given)) },
    { inFlightMax },
  )
  await sendAndLeave(inFlightMax, () => openSlowPost({ port: door.port, token, length: 60 }).leave)

  const { status } = await door.request('POST', '/v2/watch/eval', {
    token,
    body: { flow_id: ids.flow, target: { phone_number: '+15551234567' } },
  })

  expect(status).toBe(200)
})

test('given clients that leave while their export is made, when another is asked for, then theirs keep it no place', async () => {
  const path = `/v2/watch/management/lists/${ids.list}/entries/export`
  vi.mocked(listAllEntries).mockImplementation(async () => {
    await hold()
    return noEntries()
  })
  const door = await openDoorOfTest(memoryService())
  await sendAndLeave(4, () => {
    const socket = connect(door.port, '127.0.0.1').on('error', () => undefined)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
    return () => socket.destroy()
  })

  const { status } = await door.request('GET', path, { token })

  expect(status).toBe(200)
})

test('given a client that leaves before its turn comes, when requests are counted, then it is a 499 and no failure of the service', async () => {
  const path = `/v2/watch/evaluations/${ids.evaluation}`
  const lines: { level: number; status?: number; code?: string }[] = []
  const write = (line: string) => void lines.push(JSON.parse(line))
  const service = memoryService()
  const { events } = service.context
  const readStream: typeof events.readStream = (...args) =>
    hold().then(() => events.readStream(...args))
  const door = await openDoorOfTest(withContext(service, { events: { ...events, readStream } }), {
    inFlightMax: 1,
    logger: pino({ level: 'debug' }, { write }),
  })
  const { port, request, metric } = door
  const waiting = async () => (await metric('waiting')) === 1
  const first = request('GET', path, { token })
  await eventually(() => asked === 1)
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  await eventually(waiting)

  socket.destroy()

  await eventually(async () => !(await waiting()) && lines.some(({ code }) => code !== undefined))
  expect(await metric('total', { status: '499' })).toBe(1)
  expect(await metric('total', { status: '503' })).toBeUndefined()
  const line = lines.find(({ code }) => code !== undefined)
  expect(line).toMatchObject({ level: 30, status: 499, code: 'client_closed_request' })
  expect(lines.filter(({ level }) => level > 30)).toEqual([])
  release()
  expect((await first).status).not.toBe(499)
})
