import { beforeAll, describe, expect, test } from 'vitest'
import { eraseSubjects } from '../../src/commands/handling/eraseSubject.ts'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { openTwoInstances, type TwoInstances } from '../support/openTwoInstances.ts'
import { type Customer, openCustomer } from '../support/openVigil.ts'

let shop: Customer
let position = '0'

type Body = Record<string, unknown>

const vigil = await openVigilOfFile()

const start = Date.UTC(2026, 10, 21, 9)
const minutes = (count: number) => start + count * 60_000
const iso = (count: number) => new Date(minutes(count)).toISOString()
const target = (value: string) => ({
  type: value.includes('@') ? 'email_address' : 'phone_number',
  value,
})

const post = async (path: string, body: object) => {
  const answer = await shop.send('POST', path, body)
  if (answer.status !== 200) throw new Error(answer.text)
  position = String(answer.headers['x-vigil-position'])
  return answer.body
}
const feedback = (value: string, type: 'started' | 'completed', change: object = {}) =>
  post('/v2/watch/feedback', {
    feedbacks: [{ target: target(value), type: `verification.${type}`, ...change }],
  })
const report = (value: string, label: string, confidence = 'high') =>
  post('/v2/watch/event', { events: [{ target: target(value), label, confidence }] })

const ask = async (path: string, query: Record<string, string> = {}, token = shop.token) => {
  const asked = new URLSearchParams({ min_position: position, ...query })
  return vigil.door.request<Body>('GET', `${path}?${asked}`, { token })
}
const list = async (path: string, name: string, query: Record<string, string> = {}) => {
  const { status, body, text } = await ask(path, query)
  if (status !== 200) throw new Error(text)
  return body[name] as readonly Body[]
}

describe('feedback and events', () => {
  beforeAll(async () => {
    shop = await openCustomer(vigil)
    vigil.setTime(minutes(0))
    await feedback('+33612345678', 'started', {
      dispatch_id: '0198c0de-7f4a-7b2c-9d1e-3a5b7c9d1e3f',
      metadata: { correlation_id: 'signup-1' },
      signals: { ip: '203.0.113.9', is_trusted_user: true },
    })
    vigil.setTime(minutes(1))
    await feedback('ann@example.com', 'started', { metadata: { correlation_id: 'signup-2' } })
    vigil.setTime(minutes(2))
    await feedback('+33612345678', 'completed', { metadata: { correlation_id: 'signup-1' } })
    await report('+33612345678', 'account.banned')
    vigil.setTime(minutes(3))
    await report('ann@example.com', 'payment.chargeback', 'maximum')
  })

  test('feedback is listed as it was sent, the newest first', async () => {
    const feedbacks = await list('/v2/watch/feedback', 'feedbacks')

    expect(feedbacks).toEqual([
      {
        id: expect.stringMatching(/^fbk_/),
        received_at: iso(2),
        type: 'verification.completed',
        target: { type: 'phone_number', value: '+33612345678' },
        metadata: { correlation_id: 'signup-1' },
        position: expect.stringMatching(/^\d+$/),
      },
      expect.objectContaining({ target: { type: 'email_address', value: 'ann@example.com' } }),
      {
        id: expect.stringMatching(/^fbk_/),
        received_at: iso(0),
        type: 'verification.started',
        target: { type: 'phone_number', value: '+33612345678' },
        dispatch_id: '0198c0de-7f4a-7b2c-9d1e-3a5b7c9d1e3f',
        metadata: { correlation_id: 'signup-1' },
        signals: { ip: '203.0.113.9', is_trusted_user: true },
        position: expect.stringMatching(/^\d+$/),
      },
    ])
  })

  test('feedback is found by the longest correlation id that it can have, and by no empty one', async () => {
    const correlation_id = '😀'.repeat(64)
    const own = await openCustomer(vigil)
    const feedbacks = [correlation_id, ''].map((id) => ({
      target: target('ann@example.com'),
      type: 'verification.started',
      metadata: { correlation_id: id },
    }))
    const { headers } = await own.send('POST', '/v2/watch/feedback', { feedbacks })
    const min_position = String(headers['x-vigil-position'])
    const find = (query: Record<string, string>) =>
      ask('/v2/watch/feedback', { min_position, ...query }, own.token)

    const found = await find({ correlation_id })

    expect(found.body['feedbacks']).toMatchObject([{ metadata: { correlation_id } }])
    for (const id of ['', `${correlation_id}a`]) {
      const { status, body } = await find({ correlation_id: id })
      const details = [{ path: 'correlation_id', message: 'Must be 1 to 64 characters.' }]
      expect([status, body['details']]).toEqual([400, details])
    }
    expect((await find({})).body['feedbacks']).toHaveLength(2)
  })

  test.each([
    ['feedback', 'feedbacks', { phone_number: '+33 6 12 34 56 78' }, 2],
    ['feedback', 'feedbacks', { email_address: 'Ann@Example.com' }, 1],
    ['feedback', 'feedbacks', { type: 'verification.started' }, 2],
    ['feedback', 'feedbacks', { correlation_id: 'signup-1' }, 2],
    ['feedback', 'feedbacks', { correlation_id: 'signup-1', type: 'verification.completed' }, 1],
    ['feedback', 'feedbacks', { phone_number: '+33612345678', correlation_id: 'signup-2' }, 0],
    ['feedback', 'feedbacks', { from: iso(1) }, 2],
    ['feedback', 'feedbacks', { from: iso(1), to: iso(2) }, 1],
    ['feedback', 'feedbacks', { to: iso(2), phone_number: '+33612345678' }, 1],
    ['feedback', 'feedbacks', { phone_number: '+33612345679' }, 0],
    ['event', 'events', { label: 'account.banned' }, 1],
    ['event', 'events', { label: 'account.banned', email_address: 'ann@example.com' }, 0],
    ['event', 'events', { email_address: 'ann@example.com' }, 1],
    ['event', 'events', { from: iso(3) }, 1],
  ] as const)('%s %s by %j are %i', async (...[path, name, query, count]) => {
    expect(await list(`/v2/watch/${path}`, name, query)).toHaveLength(count)
  })

  test('another account sees nothing of them', async () => {
    const neighbour = await openCustomer(vigil)

    const feedbacks = await ask(
      '/v2/watch/feedback',
      { phone_number: '+33612345678' },
      neighbour.token,
    )
    const events = await ask('/v2/watch/event', {}, neighbour.token)

    expect([feedbacks.body, events.body]).toEqual([{ feedbacks: [] }, { events: [] }])
  })

  test.each([
    ['feedback', { phone_number: '06' }, 'phone_number'],
    ['feedback', { email_address: 'nobody' }, 'email_address'],
    ['feedback', { phone_number: '+33612345678', email_address: 'a@b.io' }, 'email_address'],
    ['feedback', { type: 'verification.stopped' }, 'type'],
    ['feedback', { correlation_id: 'c'.repeat(65) }, 'correlation_id'],
    ['feedback', { from: 'yesterday' }, 'from'],
    ['feedback', { from: iso(2), to: iso(1) }, 'from'],
    ['feedback', { order: 'random' }, 'order'],
    ['event', { label: 'a b' }, 'label'],
    ['event', { type: 'verification.started' }, 'type'],
    ['evaluations', { ip: '10.0.0.1' }, 'ip'],
    ['evaluations', { device_id: '' }, 'device_id'],
    ['evaluations', { order: 'newest', after: '0' }, 'after'],
    ['evaluations', { phone_number: '+33612345678', before: '9' }, 'before'],
  ] as const)('%s by %j is refused at %s', async (path, query, place) => {
    const { status, body } = await ask(`/v2/watch/${path}`, query)

    expect(status).toBe(400)
    expect((body['details'] as Body[]).map((detail) => detail['path'])).toEqual([place])
  })

  test('nothing personal stands in the documents in clear', async () => {
    const { existsSync, readFileSync } = await import('node:fs')
    const folder = vigil.folder
    const bytes = ['views.db', 'views.db-wal', 'log.db', 'log.db-wal']
      .filter((name) => existsSync(`${folder}/${name}`))
      .map((name) => readFileSync(`${folder}/${name}`).toString('latin1'))
      .join('')

    for (const personal of ['+33612345678', 'ann@example.com', '203.0.113.9', 'signup-1']) {
      expect(bytes).not.toContain(personal)
    }
    expect(bytes).toContain('payment.chargeback')
  })
})

describe('evaluations of a person', () => {
  const ann = { phone_number: '+33611111111', email_address: 'ann@example.com' }
  const bob = { phone_number: '+33622222222' }
  const ids: Record<string, unknown> = {}
  let flow = ''

  beforeAll(async () => {
    vigil.setTime(minutes(10))
    shop = await openCustomer(vigil)
    flow = await shop.flowOf('phoneCountry(target.phone_number) == "FR"')
    const other = await shop.flowOf('1 == 2')
    const evaluate = async (name: string, of: string, change: object) => {
      const { body, headers } = await shop.evaluate(of, change)
      position = String(headers['x-vigil-position'])
      ids[name] = body['id']
    }
    const dispatch_id = await shop.dispatch({ ip: '203.0.113.77', device_id: 'd-of-dispatch' })
    await evaluate('ann1', flow, { target: ann, signals: { ip: '203.0.113.1', device_id: 'd1' } })
    vigil.setTime(minutes(11))
    await feedback(ann.phone_number, 'started')
    await feedback(ann.phone_number, 'completed')
    vigil.setTime(minutes(12))
    await evaluate('bob1', flow, { target: bob, signals: { ip: '203.0.113.1' } })
    vigil.setTime(minutes(13))
    await evaluate('ann2', other, { target: { email_address: ann.email_address }, dispatch_id })
    vigil.setTime(minutes(14))
    await report(ann.email_address, 'account.banned', 'low')
    await report(ann.email_address, 'account.banned', 'maximum')
    vigil.setTime(minutes(15))
    await evaluate('ann3', flow, { target: ann })
  })

  const found = async (query: Record<string, string>) =>
    (await list('/v2/watch/evaluations', 'evaluations', query)).map(({ id }) => id)
  const named = (...names: readonly string[]) => names.map((name) => ids[name])

  test.each([
    [{ phone_number: ann.phone_number }, ['ann3', 'ann1']],
    [{ email_address: ann.email_address }, ['ann3', 'ann2', 'ann1']],
    [{ email_address: ann.email_address, order: 'oldest' }, ['ann1', 'ann2', 'ann3']],
    [{ phone_number: ann.phone_number, email_address: ann.email_address }, ['ann3', 'ann1']],
    [{ phone_number: bob.phone_number, email_address: ann.email_address }, []],
    [{ ip: '203.0.113.1' }, ['bob1', 'ann1']],
    [{ ip: '203.0.113.77' }, ['ann2']],
    [{ device_id: 'd1' }, ['ann1']],
    [{ device_id: 'd-of-dispatch' }, ['ann2']],
    [{ ip: '203.0.113.1', phone_number: bob.phone_number }, ['bob1']],
    [{ email_address: ann.email_address, verdict: 'PASS' }, ['ann2']],
    [{ from: iso(12), to: iso(15) }, ['ann2', 'bob1']],
    [{ order: 'oldest' }, ['ann1', 'bob1', 'ann2', 'ann3']],
    [{ email_address: ann.email_address, from: iso(13) }, ['ann3', 'ann2']],
  ])('by %j are %j', async (query, names) => {
    expect(await found(query)).toEqual(named(...names))
  })

  test('of a flow among others', async () => {
    expect(await found({ email_address: ann.email_address, flow_id: flow })).toEqual(
      named('ann3', 'ann1'),
    )
  })

  test('say what was reported of the target afterwards, or nothing', async () => {
    const all = await list('/v2/watch/evaluations', 'evaluations', { order: 'oldest' })

    const followed = Object.fromEntries(all.map((one) => [one['id'], one['followed_by']]))
    const banned = {
      kind: 'event',
      name: 'account.banned',
      confidence: 'maximum',
      last_reported_at: iso(14),
    }
    expect(followed).toEqual({
      [String(ids['ann1'])]: [
        { kind: 'feedback', name: 'verification.started', last_reported_at: iso(11) },
        { kind: 'feedback', name: 'verification.completed', last_reported_at: iso(11) },
        banned,
      ],
      [String(ids['bob1'])]: [],
      [String(ids['ann2'])]: [banned],
      [String(ids['ann3'])]: [],
    })
    expect(all.some((one) => 'forgotten' in one || 'followed_by_more' in one)).toBe(false)
  })

  test('come with the newest first, and the log is followed as before', async () => {
    const newest = await found({ order: 'newest' })
    const { body } = await ask('/v2/watch/evaluations', { limit: '2' })

    expect(newest).toEqual(named('ann3', 'ann2', 'bob1', 'ann1'))
    expect((body['evaluations'] as Body[]).map(({ id }) => id)).toEqual(named('ann2', 'ann3'))
    expect(Object.keys(body)).toEqual(['evaluations', 'next_after', 'next_before'])
    expect((body['evaluations'] as Body[])[0]).not.toHaveProperty('followed_by')
  })

  test('when more kinds were reported than are remembered, that is said', async () => {
    const events = Array.from({ length: 101 }, (_, index) => ({
      target: target(bob.phone_number),
      label: `label.${index}`,
      confidence: 'low',
    }))
    await post('/v2/watch/event', { events: events.slice(0, 100) })
    const full = await list('/v2/watch/evaluations', 'evaluations', { ip: '203.0.113.1' })
    await post('/v2/watch/event', { events: events.slice(100) })

    const [evaluation] = await list('/v2/watch/evaluations', 'evaluations', { ip: '203.0.113.1' })

    expect(full[0]).not.toHaveProperty('followed_by_more')
    expect(evaluation).toMatchObject({ id: ids['bob1'], followed_by_more: true })
    const labels = Object(evaluation).followed_by.map(({ name }: Body) => name)
    expect(labels).toHaveLength(100)
    expect(labels).not.toContain('label.0')
  })

  test('by the correlation id of a prediction', async () => {
    await shop.send('PUT', '/v2/watch/management/predict', { flow_id: flow })
    const predicted = await shop.send('POST', '/v2/watch/predict', {
      target: bob,
      metadata: { correlation_id: 'signup-9' },
    })
    position = String(predicted.headers['x-vigil-position'])

    expect(await found({ correlation_id: 'signup-9' })).toEqual([predicted.body['id']])
  })
})

test('of who was erased the lists say so, and what comes later is shown again', async () => {
  const two: TwoInstances = await openTwoInstances()
  const customer = await openCustomer(two.a)
  const flow = await customer.flowOf('1 == 1')
  const phone = '+33612345678'
  const reported = { target: target(phone), type: 'verification.started' }
  const banned = { target: target(phone), label: 'account.banned', confidence: 'high' }
  const tell = async () => {
    await customer.send('POST', '/v2/watch/feedback', {
      feedbacks: [{ ...reported, metadata: { correlation_id: 'c1' }, signals: { device_id: 'd' } }],
    })
    await customer.send('POST', '/v2/watch/event', { events: [banned] })
    const { headers } = await customer.evaluate(flow, { target: { phone_number: phone } })
    return String(headers['x-vigil-position'])
  }
  await tell()
  const subject = two.a.context.keyring.subject(customer.accountId, 'phone', phone)
  const call = { principal: { kind: 'operator' } as const, requestId: 'r' }
  await eraseSubjects(two.a.context, call, {
    account: customer.accountId,
    subjects: [subject],
  })
  const last = await tell()

  const sought = async (path: string, name: string) => {
    const query = `phone_number=%2B33612345678&order=oldest&min_position=${last}`
    const { body } = await customer.send('GET', `/v2/watch/${path}?${query}`)
    return body[name] as readonly Body[]
  }
  const feedbacks = await sought('feedback', 'feedbacks')
  const events = await sought('event', 'events')
  const evaluations = await sought('evaluations', 'evaluations')

  const forgotten = { type: 'phone_number', forgotten: true }
  expect([feedbacks, events].map((all) => all.map((one) => one['target']))).toEqual([
    [forgotten, target(phone)],
    [forgotten, target(phone)],
  ])
  expect(feedbacks.map((one) => [one['metadata'], one['signals']])).toEqual([
    [undefined, undefined],
    [{ correlation_id: 'c1' }, { device_id: 'd' }],
  ])
  expect(evaluations.map((one) => one['forgotten'])).toEqual([true, undefined])
})
