import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { recordFrontEndDispatch } from '../../src/commands/signals/dispatches.ts'
import { Failure } from '../../src/domain/failure.ts'
import { readClientIp } from '../../src/http/request/clientConnection.ts'
import { eventually } from '../support/eventually.ts'
import { ids, memoryService, sdkKey, tokenWith } from './support/memoryService.ts'
import { type Door, openDoor } from './support/openDoor.ts'

vi.mock('../../src/commands/signals/dispatches.ts', async (load) => ({
  ...(await load<object>()),
  recordFrontEndDispatch: vi.fn(),
}))
const dispatched = vi.mocked(recordFrontEndDispatch)

const dispatchId = 'd'.repeat(36)
const body = { dispatch_id: dispatchId, signals: { device_id: 'd-1' } }
const byKey = { 'x-sdk-key': sdkKey }

type Options = Parameters<typeof openDoor>[1]

let door: Door | undefined
afterEach(async () => {
  await door?.close()
  door = undefined
})

/** A door that tells what the service was asked to record. */
async function open(options: Options = {}) {
  dispatched.mockReset()
  dispatched.mockImplementation(async (_, __, { dispatch_id }) => ({
    dispatch_id,
    repeated: false,
  }))
  const service = memoryService()
  const opened = await openDoor(service, { trustedProxies: 0, ...options })
  door = opened
  return {
    door: opened,
    seen: () => dispatched.mock.lastCall?.[2].observedSignals,
    calls: dispatched.mock.calls,
    metrics: () => service.context.metrics.text(),
    send: (headers: Record<string, string> = {}, sent: unknown = body) =>
      opened.request('POST', '/v1/signals', { body: sent, headers: { ...byKey, ...headers } }),
  }
}

/** Sends headers as they stand, also twice. */
function sendRaw(port: number, headers: readonly string[]): Promise<number | undefined> {
  const payload = JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...{ port, host: '127.0.0.1', method: 'POST', path: '/v1/signals', setHost: false },
        headers: [
          ...['Host', 'localhost', 'X-SDK-Key', sdkKey, 'Content-Type', 'application/json'],
          ...['Content-Length', String(payload.length), ...headers],
        ],
      },
      (received) => {
        received.resume()
        received.on('end', () => resolve(received.statusCode))
      },
    )
    sent.on('error', reject)
    sent.end(payload)
  })
}

describe('a page of another site', () => {
  test('asks ahead what it may send, and is told', async () => {
    const { door } = await open()

    const { status, headers, text } = await door.request('OPTIONS', '/v1/signals', {
      headers: {
        origin: 'https://shop.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-encoding,x-sdk-key',
      },
    })

    expect(status).toBe(204)
    expect(text).toBe('')
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(headers['access-control-allow-methods']).toBe('POST')
    expect(headers['access-control-allow-headers']?.toLowerCase().split(', ')).toEqual(
      expect.arrayContaining([
        'content-type',
        'content-encoding',
        'x-sdk-key',
        'x-sdk-dispatchid',
        'x-sdk-user-agent',
        'x-sdk-request-date',
        'x-sdk-implemented-features',
      ]),
    )
    expect(headers['access-control-allow-credentials']).toBeUndefined()
  })

  test('may read every answer, refusals too', async () => {
    const { door, send } = await open()

    const answers = [
      await send(),
      await send({}, {}),
      await send({ 'x-sdk-key': 'made up' }),
      await door.request('GET', '/v1/signals'),
    ]

    expect(answers.map(({ status }) => status)).toEqual([201, 400, 401, 405])
    for (const { headers } of answers) expect(headers['access-control-allow-origin']).toBe('*')
  })

  test('may ask nothing else', async () => {
    const { door } = await open()

    for (const path of ['/v2/watch/eval', '/v1/signals/', '/health/live']) {
      const { headers } = await door.request('OPTIONS', path, {
        headers: { origin: 'https://shop.example' },
      })
      expect(headers).not.toHaveProperty('access-control-allow-origin')
    }
  })
})

describe('the address of a front end', () => {
  const from = (forwarded: string | undefined, proxies: number) =>
    readClientIp(
      {
        headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
        socket: { remoteAddress: '198.51.100.1' },
      } as unknown as IncomingMessage,
      { trustedProxies: proxies },
    )

  test.each([
    ['nobody is believed without a proxy', '203.0.113.7', 0, '198.51.100.1'],
    ['the last of the list with one', '192.0.2.1, 203.0.113.7', 1, '203.0.113.7'],
    ['the last but one with two', '192.0.2.1, 203.0.113.7, 10.0.0.1', 2, '203.0.113.7'],
    ['what is in front is not read', `${'1.1.1.1,'.repeat(500)}203.0.113.7`, 1, '203.0.113.7'],
    ['a port is left out', '203.0.113.7:4711', 1, '203.0.113.7'],
    ['a port of IPv6 as well', '[2001:db8::1]:4711', 1, '2001:db8::1'],
    ['a list that is too short says nothing', '203.0.113.7', 2, undefined],
    ['nor does an empty place', '203.0.113.7, ', 1, undefined],
    ['nor no list', undefined, 1, undefined],
  ])('%s', (...row) => {
    const [, forwarded, proxies, expected] = row

    expect(from(forwarded, proxies)).toBe(expected)
  })

  test.each(['10.0.0.1', '203.0.113.7.evil'])(
    'does not count where it is %s',
    async (forwarded) => {
      const { send, seen } = await open({ trustedProxies: 1 })

      expect((await send({ 'x-forwarded-for': forwarded })).status).toBe(201)
      expect(seen()).not.toHaveProperty('ip')
    },
  )

  test('is taken from the last of several headers', async () => {
    const { door, seen } = await open({ trustedProxies: 1 })

    const twice = ['X-Forwarded-For', '192.0.2.1', 'X-Forwarded-For', '203.0.113.7']
    expect(await sendRaw(door.port, twice)).toBe(201)

    expect(seen()).toEqual({ ip: '203.0.113.7' })
  })
})

describe('the fingerprint of a connection', () => {
  const fingerprint = 't13d1516h2_8daaf6152771_02713d6af862'
  const frontEnds = { ja4Header: 'x-ja4' }

  test('is taken from the header of the proxy that is configured', async () => {
    const { send, seen } = await open({ trustedProxies: 1, frontEnds })

    await send({ 'x-ja4': fingerprint })

    expect(seen()).toEqual({ ja4_fingerprint: fingerprint })
  })

  test.each([
    ['no header is configured', { trustedProxies: 1 }],
    ['there is no proxy', { trustedProxies: 0, frontEnds }],
  ])('is nobody’s word when %s', async (_, options) => {
    const { send, seen } = await open(options)

    await send({ 'x-ja4': fingerprint })

    expect(seen()).toEqual({})
  })

  test.each([
    ['stands there twice', ['X-JA4', fingerprint, 'X-JA4', fingerprint]],
    ['has a space', ['X-JA4', 'a b']],
    ['is too long', ['X-JA4', 'x'.repeat(65)]],
  ])('is not believed when it %s', async (_, headers) => {
    const { door, seen } = await open({ trustedProxies: 1, frontEnds })

    expect(await sendRaw(door.port, headers)).toBe(201)
    expect(seen()).toEqual({})
  })
})

describe('how many signals may be sent', () => {
  test('is bounded for each key, whatever the address', async () => {
    let nowMs = 0
    const { send, metrics } = await open({
      trustedProxies: 1,
      nowMs: () => nowMs,
      frontEnds: { keyRate: { perSecond: 1, burst: 3 } },
    })
    const from = (index: number) => send({ 'x-forwarded-for': `203.0.113.${index}` })

    const statuses = []
    for (let index = 0; index < 4; index += 1) statuses.push((await from(index)).status)
    const refused = await from(5)
    nowMs = 1_000

    expect(statuses).toEqual([201, 201, 201, 429])
    expect(refused.body).toMatchObject({ code: 'rate_limited', type: 'too_many_requests' })
    expect(refused.headers['retry-after']).toBe('1')
    expect((await from(6)).status).toBe(201)
    expect(await metrics()).toContain('vigil_dispatches_total{outcome="rate_limited"} 2')
  })

  test('is bounded for each key by the bytes of a day', async () => {
    let nowMs = 0
    const { send } = await open({
      nowMs: () => nowMs,
      frontEnds: { keyBytesPerDay: 4_000 },
    })

    const first = [(await send({})).status, (await send({})).status, (await send({})).status]
    const refused = await send({})
    nowMs = Number(refused.headers['retry-after']) * 1_000

    expect(first).toEqual([201, 201, 201])
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect((await send({})).status).toBe(201)
  })

  test('is bounded for each address before its key is looked at, and for a whole network of IPv6', async () => {
    const { send, calls } = await open({
      trustedProxies: 1,
      nowMs: () => 0,
      frontEnds: { addressRate: { perSecond: 1, burst: 2 } },
    })
    const guess = (address: string) =>
      send({ 'x-forwarded-for': address, 'x-sdk-key': 'made up' }).then(({ status }) => status)

    expect([await guess('203.0.113.1'), await guess('203.0.113.1')]).toEqual([401, 401])
    expect(await guess('::ffff:203.0.113.1')).toBe(429)
    expect(await guess('2001:db8::1')).toBe(401)
    expect(await guess('2001:db8::ffff')).toBe(401)
    expect(await guess('2001:db8::abcd')).toBe(429)
    expect(await guess('2001:db8:0:1::1')).toBe(401)
    expect(calls).toEqual([])
  })
})

describe('bodies that never arrive', () => {
  test('take the room of front ends, and none of anybody else', async () => {
    const { door, send } = await open({ inFlightMax: 8, answerMs: 60_000 })
    const sockets = Array.from({ length: 2 }, () => {
      const socket = connect(door.port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write(
        `POST /v1/signals HTTP/1.1\r\nHost: x\r\nX-SDK-Key: ${sdkKey}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
      )
      return socket
    })

    await eventually(async () => (await send()).status === 429)
    const evaluated = await door.request('POST', '/v2/watch/eval', {
      token: tokenWith('eval'),
      body: { flow_id: ids.flow, target: { phone_number: '+33612345678' } },
    })

    expect(evaluated.status).toBe(200)
    for (const socket of sockets) socket.destroy()
    await eventually(async () => (await send()).status === 201)
  })
})

describe('what became of them', () => {
  test('is counted', async () => {
    const { send, metrics } = await open()
    dispatched
      .mockResolvedValueOnce({ dispatch_id: dispatchId, repeated: false })
      .mockResolvedValueOnce({ dispatch_id: dispatchId, repeated: true })
      .mockRejectedValueOnce(new Failure('conflict', 'Other signals.'))
      .mockRejectedValueOnce(new Failure('unavailable', 'Not now.'))
      .mockRejectedValueOnce(new Error('nobody expected this'))

    for (let index = 0; index < 5; index += 1) await send()
    await send({}, {})
    await send({ 'x-sdk-key': '' })

    const text = await metrics()
    const counted = Object.fromEntries(
      [...text.matchAll(/vigil_dispatches_total\{outcome="(\w+)"\} (\d+)/g)].map(
        ([, outcome, count]) => [outcome, Number(count)],
      ),
    )
    expect(counted).toEqual({
      recorded: 1,
      repeated: 1,
      conflict: 1,
      invalid: 1,
      refused_key: 1,
      rate_limited: 0,
      failed: 2,
    })
  })
})

test('a header with many keys is none, and neither is a very long one', async () => {
  const { door, send } = await open()

  const twice = await sendRaw(door.port, ['X-SDK-Key', sdkKey])
  const long = await send({ 'x-sdk-key': 'x'.repeat(4_000) })
  const empty = await send({ 'x-sdk-key': ' ' })

  expect(twice).toBe(401)
  expect(long.body).toMatchObject({ code: 'invalid_sdk_key' })
  expect(empty.body).toMatchObject({ code: 'missing_sdk_key' })
})
