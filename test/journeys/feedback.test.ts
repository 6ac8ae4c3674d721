import { beforeEach, describe, expect, test, vi } from 'vitest'
import { decode, openEvent } from '../../src/events/catalogue.ts'
import { openTwoInstances, type TwoInstances } from '../support/openTwoInstances.ts'
import { type Customer, openCustomer } from '../support/openVigil.ts'

let vigil: TwoInstances
let shop: Customer

beforeEach(async () => {
  vigil = await openTwoInstances()
  shop = await openCustomer(vigil.a)
})

const phone = { type: 'phone_number', value: '+33 6 12 34 56 78' }
const email = { type: 'email_address', value: 'Ann@Example.com' }
const dispatch_id = '0198c0de-7f4a-7b2c-9d1e-3a5b7c9d1e3f'
const started = { target: phone, type: 'verification.started' }

const kinds = [
  {
    path: '/v2/watch/feedback',
    name: 'feedbacks',
    entry: started,
    type: 'FeedbackReceived',
    stream: /^feedback-[0-9a-f-]{36}$/,
  },
  {
    path: '/v2/watch/event',
    name: 'events',
    entry: { target: phone, label: 'account.banned', confidence: 'high' },
    type: 'EventReported',
    stream: /^reported_event-[0-9a-f-]{36}$/,
  },
] as const
const [feedback, events] = kinds

interface SendOptions {
  readonly key?: string
  readonly by?: 'a' | 'b'
}

const send = (path: string, body: unknown, { key, by = 'a' }: SendOptions = {}) =>
  vigil[by].door.request<Record<string, unknown>>('POST', path, {
    token: shop.token,
    body,
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  })

/** What of these types is in the log, opened. */
async function onRecord(type: string) {
  const { events: log, keyring } = vigil.a.context
  const recorded = await log.readAll({ after: 0, limit: 1_000 })
  const own = recorded.filter((event) => event.type === type)
  const opened = await Promise.all(own.map((event) => openEvent(decode(event), keyring)))
  return opened.map((event, index) => ({ ...event, raw: own[index] }))
}

async function openPlain(type: string) {
  return (await onRecord(type)).map(({ event }) => event.data as unknown)
}

describe.each(kinds)('$path', ({ path, name, entry, type, stream }) => {
  test('a batch is on record in one append, one event an entry, in a stream of its own, before it is answered', async () => {
    const append = vi.spyOn(vigil.a.context.events, 'append')

    const { status, body, headers } = await send(path, { [name]: [entry, entry, entry] })

    expect(status).toBe(200)
    expect(body).toEqual({ status: 'success', request_id: headers['x-request-id'] })
    expect(append.mock.calls.filter(([of]) => stream.test(of.stream))).toHaveLength(1)
    const recorded = await onRecord(type)
    expect(recorded.map(({ revision }) => revision)).toEqual([0, 1, 2])
    expect(new Set(recorded.map((event) => event.stream)).size).toBe(1)
    expect(recorded[0]?.stream).toMatch(stream)
    expect(headers['x-vigil-position']).toBe(String(recorded[2]?.position))
  })

  test('100 entries are taken, none and 101 are refused', async () => {
    const of = (count: number) => ({ [name]: Array.from({ length: count }, () => entry) })

    const most = await send(path, of(100))
    const refused = [await send(path, of(0)), await send(path, of(101)), await send(path, {})]

    expect(most.status).toBe(200)
    expect(await onRecord(type)).toHaveLength(100)
    for (const { status, body } of refused) {
      expect(status).toBe(400)
      expect(body).toMatchObject({
        code: 'invalid_request',
        type: 'bad_request',
        details: [{ path: name, message: expect.stringContaining('1 to 100 entries') }],
      })
    }
  })

  test('with one bad entry nothing is kept, and every problem of every entry is said', async () => {
    const bad = [
      entry,
      { ...entry, target: { type: 'phone_number', value: '06 12' } },
      entry,
      { ...entry, target: { type: 'user_id', value: '17' } },
      { ...entry, target: { type: 'email_address', value: 'nobody' } },
      'nothing',
    ]

    const { status, body } = await send(path, { [name]: bad })

    expect(status).toBe(400)
    const details = body['details'] as { path: string; message: string }[]
    expect(details.map((detail) => detail.path)).toEqual([
      `${name}.3.target.type`,
      `${name}.5`,
      `${name}.1.target.value`,
      `${name}.4.target.value`,
    ])
    expect(details[0]?.message).toContain('phone_number, email_address')
    expect(await onRecord(type)).toEqual([])
  })

  test('of equal requests at once one is stored, by two instances too', async () => {
    const batch = { [name]: [entry, entry] }

    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        send(path, batch, { key: 'k2', by: index % 2 === 0 ? 'a' : 'b' }),
      ),
    )

    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await onRecord(type)).toHaveLength(2)
  })

  test('of different requests with one key at once one is stored, and the others are told', async () => {
    const batches = [1, 2].map((count) => ({ [name]: Array(count).fill(entry) }))

    const answers = await Promise.all(
      batches.map((batch, index) => send(path, batch, { key: 'k3', by: index === 0 ? 'a' : 'b' })),
    )

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
  })
})

test('feedback is kept as it was sent, in canonical form; what is not listed for it is ignored', async () => {
  const signals = {
    ip: '2001:4860:4860:0:0:0:0:8888',
    device_id: 'd1',
    app_version: '',
    is_trusted_user: true,
    existing_user: 'no boolean',
    ext: 7,
  }

  const { status } = await send(feedback.path, {
    feedbacks: [
      { ...started, signals, dispatch_id, metadata: { correlation_id: 'c'.repeat(64) } },
      { target: email, type: 'verification.completed', metadata: { correlation_id: '' } },
    ],
  })

  expect(status).toBe(200)
  expect(await openPlain('FeedbackReceived')).toEqual([
    {
      feedback_id: expect.stringMatching(/^fbk_/),
      type: 'verification.started',
      target_type: 'phone_number',
      target: '+33612345678',
      correlation: expect.stringMatching(/^[\w-]{16}$/),
      dispatch_subject: expect.stringMatching(/^[\w-]{22}$/),
      context: {
        dispatch_id,
        correlation_id: 'c'.repeat(64),
        signals: { ip: '2001:4860:4860::8888', device_id: 'd1', is_trusted_user: true },
      },
    },
    {
      feedback_id: expect.stringMatching(/^fbk_/),
      type: 'verification.completed',
      target_type: 'email_address',
      target: 'ann@example.com',
      context: {},
    },
  ])
})

test('the largest batch that is let through is kept; a larger one is refused, not half of it', async () => {
  const of = (length: number) => ({
    feedbacks: Array.from({ length: 100 }, (_, index) => ({
      target: { type: 'email_address', value: `person-${index}@example.com` },
      type: 'verification.started',
      signals: { user_agent: 'u'.repeat(length) },
    })),
  })

  const large = await send(feedback.path, of(2_450))
  const larger = await send(feedback.path, of(2_700))

  expect(JSON.stringify(of(2_450)).length).toBeGreaterThan(250 * 1024)
  expect([large.status, larger.status]).toEqual([200, 413])
  expect(await onRecord('FeedbackReceived')).toHaveLength(100)
})

test('what was recorded is counted once', async () => {
  const batch = { feedbacks: [started, { ...started, type: 'verification.completed' }] }
  await send(feedback.path, batch, { key: 'k5' })
  await send(feedback.path, batch, { key: 'k5' })
  await send(events.path, { events: [events.entry] })

  const text = await vigil.a.service.context.metrics.text()

  expect(text).toContain('vigil_feedback_total{type="verification.started"} 1')
  expect(text).toContain('vigil_feedback_total{type="verification.completed"} 1')
  expect(text).toContain('vigil_reported_events_total{confidence="high"} 1')
})
