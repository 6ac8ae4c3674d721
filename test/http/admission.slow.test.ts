import { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import {
  accountNumber,
  ids,
  memoryService,
  ofAccount,
  operatorToken,
  slowToRecord,
  everyScope as token,
  withContext,
} from './support/memoryService.ts'
import { openDoorOfTest } from './support/openDoorOfTest.ts'
import { openSlowPost } from './support/openSlowPost.ts'
import { sendRequest } from './support/sendRequest.ts'

const path = '/v2/watch/eval'
const body = { flow_id: ids.flow, target: { phone_number: '+15551234567' } }
const accounts = { others: 3 }
const [greedy, other] = [ofAccount(1), ofAccount(2)]

/** A service in which the work of the greedy account hangs, and the order in which work was begun. */
function greedyService() {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const beforeRecording = async (account: string) => {
    const isGreedy = account === accountNumber(1)
    begun.push(isGreedy ? 'greedy' : 'other')
    if (isGreedy) await new Promise<void>((resolve) => ends.push(resolve))
  }
  return { service: slowToRecord(beforeRecording, memoryService(accounts)), begun, ends }
}

describe('bodies that do not come', () => {
  test('hold places of their own account, until their time is over, and of nobody else', async () => {
    const { port, request, metric } = await openDoorOfTest(memoryService(accounts), {
      inFlightMax: 8,
      // long enough for another account's answer on a busy machine
      bodyMs: 5_000,
    })
    const slow = [1_000, 1_000].map((length) => openSlowPost({ port, token: greedy, length }))
    for (const { leave } of slow) onTestFinished(leave)
    // the question itself is one of them
    await eventually(async () => Number(await metric('in_flight')) >= 3)

    const own = request('POST', path, { token: greedy, body })
    const others = await request('POST', path, { token: other, body })
    const answeredBefore = slow.map(({ receivedYet }) => receivedYet())

    expect(others.status).toBe(200)
    expect(answeredBefore).toEqual(['', ''])
    expect((await own).status).toBe(200)
    for (const { received } of slow) expect(await received).toMatch(/^HTTP\/1\.1 408 /)
  })

  test('count as much as they may become', async () => {
    const { port, request, metric } = await openDoorOfTest(memoryService(accounts), {
      inFlightMax: 16,
    })
    const changes = '/v2/watch/management/changes'
    const slow = openSlowPost({ port, token: greedy, length: 1_000, path: changes })
    onTestFinished(slow.leave)
    await eventually(async () => Number(await metric('in_flight')) >= 2)

    const own = request('POST', path, { token: greedy, body })
    await eventually(async () => (await metric('waiting')) === 1)
    const others = await request('POST', path, { token: other, body })
    slow.leave()

    expect(others.status).toBe(200)
    expect((await own).status).toBe(200)
  })

  test('leave the operator the rest of its hundred places', async () => {
    const { port, request, metric } = await openDoorOfTest(memoryService(), {
      answerMs: 60_000,
      bodyMs: 60_000,
    })
    const accountPath = '/v2/operator/accounts'
    const slow = Array.from({ length: 24 }, () =>
      openSlowPost({ port, token: operatorToken, length: 1_000, path: accountPath }),
    )
    for (const { leave } of slow) onTestFinished(leave)
    await eventually(async () => Number(await metric('in_flight')) > slow.length)

    const listed = await request('GET', accountPath, { token: operatorToken })

    expect(listed.status).toBe(200)
  })

  test('of nobody are not waited for', async () => {
    const { port } = await openDoorOfTest(memoryService(accounts))
    const slow = openSlowPost({ port, token: 'none', length: 60_000 })
    onTestFinished(slow.leave)

    await eventually(() => slow.receivedYet() !== '')

    expect(slow.receivedYet()).toMatch(/^HTTP\/1\.1 401 /)
  })
})

describe('an account that sends more than its share', () => {
  test('fills its share of the places and of the queue, and leaves the others to the others', async () => {
    const { service, begun } = greedyService()
    const { request, metric, port } = await openDoorOfTest(service, { inFlightMax: 8 })
    const agent = new Agent()
    const flood = Array.from({ length: 10 }, () =>
      sendRequest({ port, agent, method: 'POST', path }, { token: greedy, body }),
    )
    onTestFinished(() => agent.destroy())
    const settled = Promise.allSettled(flood)
    // two are served and six wait: two are too many
    const first = await Promise.race(flood)

    // as many as the queue has room left for, and two that are served
    const others = await Promise.all(
      Array.from({ length: 4 }, () => request('POST', path, { token: other, body })),
    )
    const counted = await metric('refused_total', { reason: 'account_busy' })

    expect(first.status).toBe(429)
    expect(first.headers['retry-after']).toBe('1')
    expect(first.body).toMatchObject({ code: 'rate_limited', type: 'too_many_requests' })
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 200))
    expect(begun.filter((who) => who === 'greedy')).toHaveLength(2)
    expect(counted).toBe(2)
    agent.destroy()
    await settled
  })

  test('is served in turn with the others', async () => {
    const { service, begun, ends } = greedyService()
    const { request } = await openDoorOfTest(service, { inFlightMax: 2 })
    const first = request('POST', path, { token: greedy, body })
    await eventually(() => ends.length === 1)
    const waits = request('POST', path, { token: greedy, body })

    const between = await request('POST', path, { token: other, body })
    for (const end of ends.splice(0)) end()
    await first
    await eventually(() => ends.length === 1)
    ends.pop()?.()
    await waits

    expect(between.status).toBe(200)
    expect(begun).toEqual(['greedy', 'other', 'greedy'])
  })

  test('does not keep the operator, health and metrics waiting', async () => {
    const { service, begun } = greedyService()
    const { request, port } = await openDoorOfTest(service, { inFlightMax: 1 })
    const agent = new Agent()
    const hanging = sendRequest({ port, agent, method: 'POST', path }, { token: greedy, body })
    const settled = Promise.allSettled([hanging])
    await eventually(() => begun.length === 1)

    const operator = await request('GET', '/v2/operator/accounts', { token: operatorToken })
    const health = await request('GET', '/health/live')
    const metrics = await request('GET', '/metrics', { token })

    expect([operator.status, health.status, metrics.status]).toEqual([200, 200, 200])
    agent.destroy()
    await settled
  })

  test('and leaves while it waits has nothing of it done', async () => {
    const { service, begun, ends } = greedyService()
    const { request, port, metric } = await openDoorOfTest(service, { inFlightMax: 8 })
    const agent = new Agent()
    const flood = Array.from({ length: 6 }, () =>
      sendRequest({ port, agent, method: 'POST', path }, { token: greedy, body }),
    )
    const settled = Promise.allSettled(flood)
    await eventually(async () => (await metric('waiting')) === 4)

    agent.destroy()
    await settled
    await eventually(async () => (await metric('waiting')) === 0)
    for (const end of ends) end()
    await request('POST', path, { token: other, body })

    expect(begun).toEqual(['greedy', 'greedy', 'other'])
  })
})

test('an answer that nobody reads holds the place of its account until it is taken', async () => {
  const large = { id: ids.rule, name: 'x'.repeat(12 * 1024 * 1024) }
  let listed = 0
  const list = async () => {
    listed += 1
    return { items: [large] } as never
  }
  const { port, request, metric } = await openDoorOfTest(
    withContext(memoryService(accounts), { heavyQueries: { listRules: list } as never }),
    {
      inFlightMax: 8,
    },
  )
  const ask = (): Socket => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(
        `GET /v2/watch/management/rules HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${greedy}\r\n\r\n`,
      ),
    )
    socket.on('error', () => undefined).pause()
    onTestFinished(() => void socket.destroy())
    return socket
  }
  const readers = [ask(), ask()]
  await eventually(() => listed === 2)

  const own = request('POST', path, { token: greedy, body })
  await eventually(async () => (await metric('waiting')) === 1)
  const others = await request('POST', path, { token: other, body })
  for (const reader of readers) reader.resume()

  expect(others.status).toBe(200)
  expect((await own).status).toBe(200)
})
