import { Agent } from 'node:http'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import { eventually } from '../support/eventually.ts'
import {
  ids,
  memoryService,
  ofAccount,
  slowToRecord,
  everyScope as token,
  withContext,
} from './support/memoryService.ts'
import { openDoorOfTest } from './support/openDoorOfTest.ts'
import { openSlowPost } from './support/openSlowPost.ts'
import { sendRequest } from './support/sendRequest.ts'

const path = '/v2/watch/eval'
const body = { flow_id: ids.flow, target: { phone_number: '+15551234567' } }

/** Short enough to be waited out, and long enough for what a busy machine has to answer within it. */
const answerMs = 1_000

/** A service whose store hangs until it is mended. */
function hangingService() {
  let mend: () => void = () => {}
  const mended = new Promise<void>((resolve) => {
    mend = resolve
  })
  let waiting = 0
  const beforeRecording = async () => {
    waiting += 1
    await mended
    waiting -= 1
  }
  const service = slowToRecord(beforeRecording, memoryService({ others: 4 }))
  return { service, mend: () => mend(), waiting: () => waiting }
}

describe('when the store hangs', () => {
  test('a flood is answered, each request once, and no more work is begun than is allowed', async () => {
    const { service, mend, waiting } = hangingService()
    const { request } = await openDoorOfTest(service, { inFlightMax: 8, answerMs: 300 })

    const flood = Array.from({ length: 200 }, (_, sent) =>
      request('POST', path, { token: ofAccount(sent % 4), body }),
    )
    await eventually(() => waiting() === 8)
    const health = await request('GET', '/health/ready')
    const answers = await Promise.all(flood)
    const begun = waiting()
    mend()

    expect(answers.map(({ status }) => status)).toEqual(flood.map(() => 503))
    expect(answers.map(({ headers }) => headers['retry-after'])).toEqual(flood.map(() => '1'))
    expect(begun).toBe(8)
    expect(health.status).toBe(200)
  })

  test('what is in progress is counted until it is answered', async () => {
    const { service, mend, waiting } = hangingService()
    const { request, metric } = await openDoorOfTest(service, { inFlightMax: 8, answerMs: 60_000 })

    const flood = Array.from({ length: 8 }, (_, sent) =>
      request('POST', path, { token: ofAccount(sent % 4), body }),
    )
    await eventually(() => waiting() === 8)
    const hanging = await metric('in_flight')
    mend()
    const answers = await Promise.all(flood)
    const after = await metric('in_flight')

    // the question itself is one of them
    expect(hanging).toBe(9)
    expect(answers.map(({ status }) => status)).toEqual(flood.map(() => 200))
    expect(after).toBe(1)
  })

  test('refusals are counted by their reason', async () => {
    const { service, mend } = hangingService()
    const { request, metric } = await openDoorOfTest(service, { inFlightMax: 2, answerMs })

    await Promise.all(Array.from({ length: 5 }, () => request('POST', path, { token, body })))
    const refused = (reason: string) => metric('refused_total', { reason })
    // one is served, one waits its turn, and neither is answered in time
    expect([await refused('account_busy'), await refused('too_slow')]).toEqual([3, 2])
    mend()
  })

  test('who asks for the metrics is answered within the same time', async () => {
    const base = memoryService()
    const text = () => new Promise<never>(() => undefined)
    const metrics = { ...base.context.metrics, text }
    const { request } = await openDoorOfTest(withContext(base, { metrics }), {
      answerMs,
      metricsAccess: 'open',
    })

    const late = await request('GET', '/metrics')

    expect(late.status).toBe(503)
    expect(late.headers['retry-after']).toBe('1')
    expect(late.body).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/in time/),
    })
  })

  test('work that was answered for still counts, until it has ended', async () => {
    const { service, mend, waiting } = hangingService()
    const { request } = await openDoorOfTest(service, { inFlightMax: 1, answerMs })
    const late = await request('POST', path, { token, body })

    const meanwhile = await request('POST', path, { token, body })
    mend()
    await eventually(() => waiting() === 0)
    const after = await request('POST', path, { token, body })

    expect(late.body).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/in time/),
    })
    // it waited for the place
    expect(meanwhile.body).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/in time/),
    })
    expect(after.status).toBe(200)
  })

  test('an answer that comes too late harms neither the connection nor the next answer', async () => {
    const { service, mend, waiting } = hangingService()
    const { request } = await openDoorOfTest(service, { inFlightMax: 10, answerMs })

    const late = await request('POST', path, { token, body })
    mend()
    await eventually(() => waiting() === 0)
    const next = await request('GET', '/health/live')

    expect(late.status).toBe(503)
    expect(next.body).toEqual({ status: 'ok' })
  })

  test('a failure that comes too late harms nothing either', async () => {
    let fail: () => void = () => {}
    const failing = new Promise<never>((_resolve, reject) => {
      fail = () => reject(new Failure('conflict', 'too late'))
    })
    const { request } = await openDoorOfTest(
      slowToRecord(() => failing),
      {
        inFlightMax: 1,
        answerMs,
      },
    )

    const late = await request('POST', path, { token, body })
    fail()
    await new Promise((resolve) => setImmediate(resolve))
    const next = await request('GET', '/v2/watch/management/rules', { token })

    expect(late.status).toBe(503)
    expect(next.status).toBe(200)
  })
})

describe('a body that does not come', () => {
  test('is 408 within its time, the connection is closed and the place is free again', async () => {
    const { port, request } = await openDoorOfTest(memoryService(), {
      inFlightMax: 1,
      bodyMs: answerMs,
    })
    const slow = openSlowPost({ port, token, length: 1_000 })

    const received = await slow.received
    const next = await request('POST', path, { token, body })

    expect(received).toMatch(/^HTTP\/1\.1 408 /)
    expect(received).toMatch(/\r\nConnection: close\r\n/i)
    expect(received).toContain('"code":"request_timeout"')
    expect(next.status).toBe(200)
  })

  test('is not waited for when the request itself is too late', async () => {
    const { port } = await openDoorOfTest(memoryService(), { bodyMs: 2 * answerMs, answerMs })

    const received = await openSlowPost({ port, token, length: 1_000 }).received

    expect(received).toMatch(/^HTTP\/1\.1 503 /)
    expect(received).toMatch(/\r\nConnection: close\r\n/i)
  })
})

test('a client that leaves frees its place when its work has ended', async () => {
  const { service, mend, waiting } = hangingService()
  const { port, request } = await openDoorOfTest(service, { inFlightMax: 1 })
  const agent = new Agent()
  const left = sendRequest({ port, agent, method: 'POST', path }, { token, body }).catch(
    (error: Error) => error,
  )
  await eventually(() => waiting() === 1)
  agent.destroy()
  await left

  mend()
  await eventually(() => waiting() === 0)
  const next = await request('POST', path, { token, body })

  expect(next.status).toBe(200)
})
