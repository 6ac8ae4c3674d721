/** What feedback and reported events say beside their target: recorded, checked, listed. */

import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { decode, openEvent } from '../../src/events/catalogue.ts'
import { computeLookupDigest } from '../../src/events/recording/lookupDigest.ts'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer } from '../support/openVigil.ts'

const vigil = await openVigilOfFile()
const { context } = vigil.service
const now = Date.UTC(2026, 10, 21, 9)
const iso = (timeMs: number) => new Date(timeMs).toISOString()
const hourMs = 60 * 60_000

let shop: Customer
let flow: string

beforeAll(async () => {
  vigil.setTime(now)
  shop = await openCustomer(vigil)
  flow = await shop.flowOf('1 == 1')
})
beforeEach(() => vigil.setTime(now))

type Body = Record<string, unknown>

const target = { type: 'phone_number', value: '+33612345678' }
const kinds = [
  {
    path: '/v2/watch/feedback',
    name: 'feedbacks',
    entry: { target, type: 'verification.completed' },
    type: 'FeedbackReceived',
  },
  {
    path: '/v2/watch/event',
    name: 'events',
    entry: { target, label: 'payment.chargeback', confidence: 'high' },
    type: 'EventReported',
  },
] as const

/** The event at the position, opened and as it stands in the log. */
async function readEvent(position: unknown) {
  const all = await context.events.readAll({ after: 0, limit: 1_000_000 })
  const recorded = all.find((one) => one.position === Number(position))
  if (!recorded) throw new Error(`no event at ${position}`)
  const { event } = await openEvent(decode(recorded), context.keyring)
  return { data: event.data as unknown as Body, text: recorded.data }
}

const evaluate = async (of = shop, flowId = flow) => String((await of.evaluate(flowId)).body['id'])

describe.each(kinds)('$path', ({ path, name, entry, type }) => {
  const send = (...more: readonly object[]) =>
    shop.send('POST', path, { [name]: more.map((one) => ({ ...entry, ...one })) })
  const details = async (more: object, ...others: readonly object[]) => {
    const { status, body } = await send(more, ...others)
    return [status, body['code'], body['details']]
  }

  test('everything that was said of it is on record and in the list, its names sealed', async () => {
    const evaluation_id = await evaluate()
    const dispatch_id = await shop.dispatch({ ip: '203.0.113.9', device_id: 'd1' })
    const metadata = { correlation_id: `order of ${name}` }
    const money = { amount: '129.90', currency: 'EUR' }
    const said = { evaluation_id, dispatch_id, metadata, ...money }

    const { status, body, headers } = await send({
      ...said,
      occurred_at: '2026-11-20T10:00:00+01:00',
    })

    expect([status, Object.keys(body)]).toEqual([200, ['status', 'request_id']])
    const { data, text } = await readEvent(headers['x-vigil-position'])
    const digest = (kind: 'correlation_id' | 'ip' | 'device', value: string) =>
      computeLookupDigest(context.keyring, shop.accountId, { kind, value })
    expect(data).toMatchObject({
      evaluation_id,
      ...money,
      occurred_at: Date.UTC(2026, 10, 20, 9),
      correlation: digest('correlation_id', metadata.correlation_id),
      context: { dispatch_id, ...metadata },
      signal_digests: { ip: digest('ip', '203.0.113.9'), device: digest('device', 'd1') },
    })
    expect(text).toContain(evaluation_id)
    for (const personal of [metadata.correlation_id, dispatch_id, '203.0.113.9', 'd1"']) {
      expect(text).not.toContain(personal)
    }
    const query = new URLSearchParams({
      correlation_id: metadata.correlation_id,
      min_position: String(headers['x-vigil-position']),
    })
    const listed = await shop.send('GET', `${path}?${query}`)
    expect(listed.body[name]).toEqual([
      expect.objectContaining({ ...said, occurred_at: '2026-11-20T09:00:00.000Z', target }),
    ])
  })

  test('without any of it nothing more is recorded than before', async () => {
    const { headers } = await send({})

    const { data } = await readEvent(headers['x-vigil-position'])
    const own =
      type === 'FeedbackReceived'
        ? ['feedback_id', 'type', 'context']
        : ['event_id', 'label', 'confidence']
    expect(Object.keys(data).sort()).toEqual([...own, 'target', 'target_type'].sort())
  })

  test.each([
    ['evaluation_id', { evaluation_id: 'evl_1' }],
    ['evaluation_id', { evaluation_id: `flo_${'0'.repeat(26)}` }],
    ['evaluation_id', { evaluation_id: `evl_${'0'.repeat(26)}` }],
    ['evaluation_id', { evaluation_id: '' }],
    ['dispatch_id', { dispatch_id: 'd' }],
    ['occurred_at', { occurred_at: 'yesterday' }],
    ['occurred_at', { occurred_at: '2026-11-21' }],
    ['occurred_at', { occurred_at: '2026-11-21T08:00:00' }],
    ['occurred_at', { occurred_at: '2026-11-31T08:00:00Z' }],
    ['occurred_at', { occurred_at: '1969-12-31T23:59:59Z' }],
    ['occurred_at', { occurred_at: now }],
    ['occurred_at', { occurred_at: iso(now + 60_001) }],
    ...[
      ...['1e3', '-1', '+1', '01', '.5', '5.', '1,5', '1.1234567', '1'.repeat(16), '', ' 1', '1\n'],
      'NaN',
    ].map((amount) => ['amount', { amount, currency: 'EUR' }] as const),
    ['amount', { amount: 129.9, currency: 'EUR' }],
    ...['eur', 'EURO', 'E', 'ÉUR', ''].map(
      (currency) => ['currency', { amount: '1', currency }] as const,
    ),
    ['currency', { amount: '1' }],
    ['amount', { currency: 'EUR' }],
    ['metadata.correlation_id', { metadata: { correlation_id: 'c'.repeat(65) } }],
  ] as const)('a wrong %s is refused by its name: %j', async (field, more) => {
    const append = vi.spyOn(context.events, 'append')

    const refused = await details({}, more)

    const at = [{ path: `${name}.1.${field}`, message: expect.stringMatching(/^(Must|There)/) }]
    expect(refused).toEqual([400, 'invalid_request', at])
    expect(append).not.toHaveBeenCalled()
    append.mockRestore()
  })

  test('the evaluation of another account is refused as one that is not there', async () => {
    const neighbour = await openCustomer(vigil)
    const evaluation_id = await evaluate(neighbour, await neighbour.flowOf('1 == 1'))

    const others = await details({ evaluation_id })
    const unknown = await details({ evaluation_id: `evl_${'0'.repeat(26)}` })

    expect(others).toEqual(unknown)
    expect(others[0]).toBe(400)
  })

  test('every wrong entry is named', async () => {
    const evaluation_id = `evl_${'0'.repeat(26)}`

    const [, , problems] = await details(
      { evaluation_id },
      {},
      { occurred_at: iso(now + hourMs), evaluation_id },
    )

    expect((problems as Body[]).map((problem) => problem['path'])).toEqual([
      `${name}.0.evaluation_id`,
      `${name}.2.evaluation_id`,
      `${name}.2.occurred_at`,
    ])
  })

  test('given a clock a little ahead, what it reports happened when it was received', async () => {
    const { status, headers } = await send({ occurred_at: iso(now + 59_000) })

    expect(status).toBe(200)
    expect((await readEvent(headers['x-vigil-position'])).data['occurred_at']).toBe(now)
  })

  test('a dispatch is read however old it is; an unknown one and that of another account have no digests', async () => {
    const neighbour = await openCustomer(vigil)
    const own = await shop.dispatch({ ip: '203.0.113.9' })
    const others = await neighbour.dispatch({ ip: '203.0.113.9' })
    vigil.setTime(now + 90 * 24 * hourMs)

    const digests: unknown[] = []
    for (const dispatch_id of [own, others, '0198c0de-7f4a-7b2c-9d1e-3a5b7c9d1e3f']) {
      const { status, headers } = await send({ dispatch_id })
      expect(status).toBe(200)
      digests.push((await readEvent(headers['x-vigil-position'])).data['signal_digests'])
    }

    const digest = expect.stringMatching(/^[\w-]{16}$/)
    expect(digests).toEqual([{ ip: digest, network: digest }, undefined, undefined])
  })

  test('what a batch names is read once, however often it is named', async () => {
    const evaluation_id = await evaluate()
    const dispatch_id = await shop.dispatch({ ip: '203.0.113.9' })
    const read = vi.spyOn(context.events, 'readStream')
    const entries = Array.from({ length: 100 }, () => ({ evaluation_id, dispatch_id }))

    const { status } = await send(...entries)

    expect(status).toBe(200)
    const streams = read.mock.calls.map(([stream]) => stream)
    expect(streams.filter((stream) => stream === `evaluation-${evaluation_id}`)).toHaveLength(1)
    expect(streams.filter((stream) => stream.startsWith('dispatch-'))).toHaveLength(1)
    read.mockRestore()
  })

  test('unknown fields are named in the answer, each once, and nothing of them is recorded', async () => {
    const { status, body, headers } = await shop.send('POST', path, {
      [name]: [
        { ...entry, success: true, target: { ...target, name: 'Ann' } },
        { ...entry, success: false, metadata: { note: 'x' }, __proto__: 1, constructor: {} },
      ],
      more: 1,
    })

    expect([status, body['status']]).toEqual([200, 'success'])
    expect(body['ignored']).toEqual([
      'more',
      'target.name',
      'success',
      'metadata.note',
      'constructor',
    ])
    const { text } = await readEvent(headers['x-vigil-position'])
    expect(text).not.toMatch(/success|note|constructor/)
  })

  test('of many unknown fields sixteen are named, each with at most 64 characters', async () => {
    const fields = Array.from({ length: 1_000 }, (_, index) => [
      `${index}${'😀'.repeat(40)}`,
      index,
    ])

    const { body } = await send(Object.fromEntries(fields))

    const ignored = body['ignored'] as readonly string[]
    expect(ignored).toHaveLength(16)
    for (const field of ignored) expect(field.length).toBeLessThanOrEqual(64)
  })

  test('a batch that is sent again with its key is answered as before, and recorded once', async () => {
    const evaluation_id = await evaluate()
    const batch = { [name]: [{ ...entry, evaluation_id, occurred_at: iso(now), success: true }] }
    const key = { 'idempotency-key': `again-${name}` }

    const first = await shop.send('POST', path, batch, key)
    vigil.setTime(now + hourMs)
    const again = await shop.send('POST', path, batch, key)
    const changed = await shop.send('POST', path, { [name]: [{ ...entry, evaluation_id }] }, key)

    expect([again.status, again.text]).toEqual([200, first.text])
    expect(changed.status).toBe(422)
  })
})
