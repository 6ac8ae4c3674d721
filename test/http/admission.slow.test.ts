import { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import { openLoopTurns } from '../../src/domain/loopTurns.ts'
import type { Service } from '../../src/service.ts'
import { sampleOf } from '../metrics/exposition.ts'
import { eventually } from '../support/eventually.ts'
import {
  accountNumber,
  fakeService,
  ids,
  ofAccount,
  operatorToken,
  everyScope as token,
} from './support/fakeService.ts'
import { type Door, openDoor } from './support/openDoor.ts'
import { openSlowPost } from './support/openSlowPost.ts'
import { sendRequest } from './support/sendRequest.ts'

const path = '/v2/watch/eval'
const body = { flow_id: ids.flow, target: { phone_number: '+15551234567' } }
const answer = { value: '{"id":"evl_1","verdict":"PASS","recipes":[]}', position: 1, visible: true }
const [greedy, other] = [ofAccount(1), ofAccount(2)]

let door: Door | undefined
const leavers: (() => void)[] = []

afterEach(async () => {
  for (const leave of leavers.splice(0)) leave()
  await door?.close()
  door = undefined
})

const open = async (...options: Parameters<typeof openDoor>) => {
  door = await openDoor(...options)
  return door
}

/** A service in which the work of the greedy account hangs, and the order in which work was begun. */
function greedyService(replaced: Partial<Service> = {}) {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const evaluateFlow: Service['evaluateFlow'] = async ({ principal }) => {
    const isGreedy = principal.accountId === accountNumber(1)
    begun.push(isGreedy ? 'greedy' : 'other')
    if (isGreedy) await new Promise<void>((resolve) => ends.push(resolve))
    return answer
  }
  return { service: fakeService({ evaluateFlow, ...replaced }), begun, ends }
}

const refusedFor = async (reason: string) => {
  const { text } = (await door?.request('GET', '/metrics', { token: operatorToken })) ?? {}
  return sampleOf(text ?? '', 'vigil_http_requests_refused_total', { reason })
}

describe('bodies that do not come', () => {
  test('take no place from anybody, not even from their own account', async () => {
    const { port, request } = await open(fakeService(), { inFlightMax: 4 })
    const slow = Array.from({ length: 4 }, () => openSlowPost({ port, token, length: 1_000 }))
    leavers.push(...slow.map(({ leave }) => leave))
    // the question itself is one of them
    await eventually(async () => (await inFlight()) >= 5)

    const others = await request('POST', path, { token: other, body })
    const statuses = await Promise.all(
      [1, 2, 3].map(
        async () => (await request('GET', '/v2/watch/management/rules', { token })).status,
      ),
    )

    expect(others.status).toBe(200)
    expect(statuses).toEqual([200, 200, 200])
    // nobody was answered because the bodies had been given up
    expect(await inFlight()).toBeGreaterThanOrEqual(5)
  })

  test('are counted in bytes, as they are announced: beyond the share of its account one is refused', async () => {
    const { port, request } = await open(fakeService())
    const share = 16 * 1024 * 1024
    const length = 60_000
    const fitting = Math.floor(share / length)
    const slow = Array.from({ length: fitting + 3 }, () =>
      openSlowPost({ port, token: greedy, length }),
    )
    leavers.push(...slow.map(({ leave }) => leave))

    await eventually(() => slow.filter((post) => post.receivedYet() !== '').length === 3)
    const refused = slow.map(({ receivedYet }) => receivedYet()).filter((text) => text !== '')
    const others = await request('POST', path, { token: other, body })
    const counted = await refusedFor('bodies')

    for (const text of refused) {
      expect(text).toMatch(/^HTTP\/1\.1 429 /)
      expect(text).toMatch(/\r\nRetry-After: 1\r\n/i)
      expect(text).toContain('"code":"rate_limited"')
    }
    expect(others.status).toBe(200)
    expect(counted).toBe(3)

    for (const post of slow) post.leave()
    await eventually(
      async () => (await request('POST', path, { token: greedy, body })).status === 200,
    )
  })

  test('of unsaid length count as much as they may become', async () => {
    const { port } = await open(fakeService())
    const most = (16 * 1024 * 1024) / (64 * 1024)
    const slow = Array.from({ length: most + 1 }, () => openSlowPost({ port, token: greedy }))
    leavers.push(...slow.map(({ leave }) => leave))

    await eventually(() => slow.some((post) => post.receivedYet() !== ''))

    expect(await refusedFor('bodies')).toBe(1)
  })

  test('of nobody are not waited for', async () => {
    const { port } = await open(fakeService())
    const slow = openSlowPost({ port, token: 'none', length: 60_000 })
    leavers.push(slow.leave)

    await eventually(() => slow.receivedYet() !== '')

    expect(slow.receivedYet()).toMatch(/^HTTP\/1\.1 401 /)
  })
})

async function inFlight(): Promise<number> {
  const { text } = (await door?.request('GET', '/metrics', { token: operatorToken })) ?? {}
  return sampleOf(text ?? '', 'vigil_http_requests_in_flight') ?? 0
}

describe('an account that sends more than its share', () => {
  test('fills its share of the places and of the queue, and leaves the others to the others', async () => {
    const { service, begun } = greedyService()
    const { request } = await open(service, { inFlightMax: 8 })
    const agent = new Agent()
    const flood = Array.from({ length: 10 }, () =>
      sendRequest({ port: door?.port ?? 0, agent, method: 'POST', path }, { token: greedy, body }),
    )
    leavers.push(() => agent.destroy())
    const settled = Promise.allSettled(flood)
    // two are served and six wait: two are too many
    const first = await Promise.race(flood)

    // as many as the queue has room left for, and two that are served
    const others = await Promise.all(
      Array.from({ length: 4 }, () => request('POST', path, { token: other, body })),
    )
    const counted = await refusedFor('account_busy')

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
    const { request } = await open(service, { inFlightMax: 2 })
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
    const { request, port } = await open(service, { inFlightMax: 1 })
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
    const { request, port } = await open(service, { inFlightMax: 8 })
    const agent = new Agent()
    const flood = Array.from({ length: 6 }, () =>
      sendRequest({ port, agent, method: 'POST', path }, { token: greedy, body }),
    )
    const settled = Promise.allSettled(flood)
    await eventually(async () => (await waitingNow()) === 4)

    agent.destroy()
    await settled
    await eventually(async () => (await waitingNow()) === 0)
    for (const end of ends) end()
    await request('POST', path, { token: other, body })

    expect(begun).toEqual(['greedy', 'greedy', 'other'])
  })
})

async function waitingNow(): Promise<number> {
  const { text } = (await door?.request('GET', '/metrics', { token: operatorToken })) ?? {}
  return sampleOf(text ?? '', 'vigil_http_requests_waiting') ?? Number.NaN
}

describe('waiting for a position', () => {
  const reading = '/v2/watch/management/rules?min_position=9'

  test('takes no place, and is bounded for each account', async () => {
    let come: () => void = () => {}
    const coming = new Promise<void>((resolve) => {
      come = resolve
    })
    const { request } = await open(fakeService({ reach: () => coming }), { inFlightMax: 4 })

    const waits = Array.from({ length: 66 }, () => request('GET', reading, { token: greedy }))
    const early = await Promise.race(waits)
    const own = await request('POST', path, { token: greedy, body })
    const others = await request('POST', path, { token: other, body })
    const counted = await refusedFor('positions')
    come()
    await Promise.all(waits)

    expect(early.status).toBe(429)
    expect(early.headers['retry-after']).toBe('1')
    expect([own.status, others.status]).toEqual([200, 200])
    expect(counted).toBe(2)
  })
})

describe('an answer that nobody reads', () => {
  test('counts against its account until it is taken', async () => {
    const large = { id: ids.rule, name: 'x'.repeat(12 * 1024 * 1024) }
    const list = async () => ({ value: { items: [large] }, position: 1 })
    const service = fakeService()
    const rules = { ...service.rules, list } as unknown as Service['rules']
    const { port, request } = await open(fakeService({ rules }))
    const ask = (): Socket => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(
          `GET /v2/watch/management/rules HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${greedy}\r\n\r\n`,
        ),
      )
      socket.pause()
      leavers.push(() => socket.destroy())
      return socket
    }
    const readers = [ask(), ask(), ask()]

    await eventually(
      async () => (await request('POST', path, { token: greedy, body })).status === 429,
    )
    const others = await request('POST', path, { token: other, body })
    for (const reader of readers) reader.resume()
    await eventually(
      async () => (await request('POST', path, { token: greedy, body })).status === 200,
    )

    expect(others.status).toBe(200)
  })
  test('beyond the share of its account is not kept, however many were asked for while there was room', async () => {
    // more than the system takes for a client that reads nothing
    const large = { id: ids.rule, name: 'x'.repeat(12 * 1024 * 1024) }
    const asked: (() => void)[] = []
    const list = async () => {
      await new Promise<void>((resolve) => asked.push(resolve))
      return { value: { items: [large] }, position: 1 }
    }
    const service = fakeService()
    const rules = { ...service.rules, list } as unknown as Service['rules']
    const { port, request } = await open(fakeService({ rules }))
    const count = 20
    const sockets = Array.from({ length: count }, () => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(
          `GET /v2/watch/management/rules HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${greedy}\r\n\r\n`,
        ),
      )
      // nothing is read
      socket.pause()
      leavers.push(() => socket.destroy())
      return socket
    })
    await eventually(() => asked.length === count)
    for (const answerNow of asked.splice(0)) answerNow()
    await eventually(async () => (await refusedFor('unread')) === count - 1)

    const others = await request('POST', path, { token: other, body })

    expect(others.status).toBe(200)
    expect(sockets).toHaveLength(count)
  })
})

describe('a write that only waits until it can be read', () => {
  const newRule = { name: 'r', expression: 'true' }

  test('gives its place back meanwhile, as long as not too much of its account waits', async () => {
    let come: () => void = () => {}
    const coming = new Promise<void>((resolve) => {
      come = resolve
    })
    let written = 0
    const service = fakeService()
    const rules: Service['rules'] = {
      ...service.rules,
      create: async (call, input) => {
        written += 1
        call.letGo?.()
        await coming
        return service.rules.create(call, input)
      },
    }
    const { request } = await open(fakeService({ rules }), { inFlightMax: 4 })
    const create = () =>
      request('POST', '/v2/watch/management/rules', { token: greedy, body: newRule })

    const few = [create(), create(), create()]
    await eventually(() => written === 3)
    const own = await request('POST', path, { token: greedy, body })
    const more: ReturnType<typeof create>[] = []
    while (written < 64) {
      more.push(create())
      await eventually(() => written === 3 + more.length)
    }
    const keeping = create()
    await eventually(() => written === 65)
    const behind = request('POST', path, { token: greedy, body })
    await eventually(async () => (await waitingNow()) === 1)
    come()
    const statuses = await Promise.all([...few, ...more, keeping])

    expect(own.status).toBe(200)
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([201]))
    expect((await behind).status).toBe(200)
  })
})

test('of long answers that are ready together each is written in a turn of its own', async () => {
  let now = 0
  let [turnOfLast, turn, most, inTurn] = [-1, 0, 0, 0]
  const count = (): void => {
    turn += 1
    if (written < 8) setImmediate(count)
  }
  let written = 0
  const service = fakeService()
  const { value: page } = await service.rules.list({} as never, {} as never)
  const long = {
    toJSON: () => {
      now += 30
      written += 1
      inTurn = turn === turnOfLast ? inTurn + 1 : 1
      turnOfLast = turn
      most = Math.max(most, inTurn)
      return page.items[0]
    },
  }
  const asked: (() => void)[] = []
  const list = async () => {
    await new Promise<void>((resolve) => asked.push(resolve))
    return { value: { items: [long] }, position: 1 }
  }
  const rules = { ...service.rules, list } as unknown as Service['rules']
  const { request } = await open(fakeService({ rules }), {
    turns: openLoopTurns({ nowMs: () => now }),
  })
  const answers = Array.from({ length: 8 }, () =>
    request('GET', '/v2/watch/management/rules', { token: greedy }),
  )
  await eventually(() => asked.length === 8)

  setImmediate(count)
  for (const answerNow of asked.splice(0)) answerNow()
  const statuses = (await Promise.all(answers)).map(({ status }) => status)

  expect(statuses).toEqual(statuses.map(() => 200))
  expect(written).toBe(8)
  // this test looks now before, now after the one of a turn
  expect(most).toBeLessThanOrEqual(2)
})

test('however many requests arrive at once, and whatever they are answered, few begin in one turn of the loop', async () => {
  const perTurn: number[] = []
  let begun = 0
  const reach: Service['reach'] = async () => {
    if (begun === 0) {
      setImmediate(() => {
        perTurn.push(begun)
        begun = 0
      })
    }
    begun += 1
    now += 1
    throw new Failure('conflict', 'There is no such position.')
  }
  let now = 0
  const turns = openLoopTurns({ nowMs: () => now })
  const { port } = await open(fakeService({ reach }), { turns })
  const text = `GET /v2/watch/management/rules?min_position=9 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${greedy}\r\n\r\n`
  const sockets = await Promise.all(
    Array.from(
      { length: 200 },
      () =>
        new Promise<Socket>((resolve) => {
          const socket = connect(port, '127.0.0.1', () => resolve(socket))
          leavers.push(() => socket.destroy())
        }),
    ),
  )
  const answered = sockets.map(
    (socket) =>
      new Promise<string>((resolve) =>
        socket.once('data', (chunk: Buffer) => resolve(chunk.toString('latin1', 9, 12))),
      ),
  )
  for (const socket of sockets) socket.write(text)
  const statuses = await Promise.all(answered)

  expect(new Set(statuses)).toEqual(new Set(['409']))
  // this test looks now before, now after the end of a turn
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(2 * 11)
})
