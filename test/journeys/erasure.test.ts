import { beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { type Customer, openCustomer } from '../support/openVigil.ts'

const start = Date.UTC(2026, 10, 21, 9, 30)
const number = '+33612345678'
const address = 'ann@example.com'
const phoneLists = '/v2/verification/management/phone-numbers'

let shop: Customer
let flow: string
let list: string

const vigil = await openVigilOfFile()
vigil.setTime(start)

const open = async (): Promise<void> => {
  shop = await openCustomer(vigil)
  list = await shop.list('vip', 'phone_number')
  flow = await shop.flowOf('list.block', 'inList("vip", target.phone_number)', 'signal.ip == "x"')
}
const asked = async (method: string, path: string, body?: object) =>
  (await shop.send(method, path, body)).body
const erase = (person: object, customer = shop) =>
  customer.send('POST', '/v2/watch/subjects/erase', person)
const evaluate = async (target: object, more: object = {}) =>
  String((await shop.evaluate(flow, { target, ...more })).body['id'])
const replay = async (id: string) =>
  (await asked('POST', `/v2/watch/evaluations/${id}/replay`))['code']
const newApp = async () => {
  const { app_id } = await asked('POST', '/v2/session/apps', { name: 'Shop' })
  return `/v2/session/apps/${app_id}`
}
const newUser = async (app: string, ...identifiers: readonly object[]) =>
  `${app}/users/${(await asked('POST', `${app}/users`, { identifiers }))['id']}`
const phone = (value: string) => ({ type: 'phone_number', value })
const mail = (value: string) => ({ type: 'email_address', value })

describe('a person who is known everywhere', () => {
  const other = '+33612345679'
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    await open()
    const dispatch_id = await shop.dispatch({ ip: '203.0.113.7', device_id: 'of ann' })
    ids['both'] = await evaluate({ phone_number: number, email_address: address }, { dispatch_id })
    ids['phone'] = await evaluate({ phone_number: number })
    ids['other'] = await evaluate({ phone_number: other })
    ids['dispatch'] = dispatch_id
    await asked('POST', `${phoneLists}/block`, { phone_number: number, reason: 'of ann' })
    await asked('POST', `/v2/watch/management/lists/${list}/entries`, { value: number })
    await asked('POST', '/v2/watch/feedback', {
      feedbacks: [
        { type: 'verification.started', target: { type: 'phone_number', value: number } },
      ],
    })
    await asked('POST', '/v2/watch/event', {
      events: [{ label: 'x', confidence: 'high', target: { type: 'phone_number', value: number } }],
    })
    const [first, second] = [await newApp(), await newApp()]
    ids['app'] = first
    ids['user'] = await newUser(first, phone(number), mail(address))
    ids['again'] = await newUser(second, phone(number))
    ids['neighbour'] = await newUser(second, phone(other))
    await asked('PUT', `${ids['user']}/password`, { password: 'correct horse battery' })
    await shop.send('DELETE', second)
  })

  test('is erased by the number in one command, and what is left says so', async () => {
    const { status, body, headers } = await erase({ phone_number: number, reason: 'Ticket 4711' })

    expect(status).toBe(200)
    expect(headers['x-vigil-visible']).toBeUndefined()
    expect(body).toEqual({
      id: expect.stringMatching(/^era_/),
      kind: 'phone_number',
      reason: 'Ticket 4711',
      requested_by: shop.tokenId,
      requested_at: '2026-11-21T09:30:00.000Z',
      erased_at: '2026-11-21T09:30:00.000Z',
      keys: 8,
      evaluations: 2,
      dispatches: 1,
      users: 2,
      position: expect.stringMatching(/^\d+$/),
      erasures: expect.arrayContaining([expect.stringMatching(/^\d+$/)]),
    })
    expect(JSON.stringify(body)).not.toContain(number.slice(1))
    expect(await asked('GET', `/v2/watch/subjects/erasures/${body['id']}`)).toEqual(body)
  })

  test('their evaluations keep verdict and rules, and no evidence', async () => {
    for (const id of [ids['both'], ids['phone']]) {
      const shown = await asked('GET', `/v2/watch/evaluations/${id}`)
      expect(shown).toMatchObject({ verdict: 'PASS', evidence: { forgotten: true } })
      expect(JSON.stringify(shown)).not.toContain(number)
      expect(JSON.stringify(shown)).not.toContain('203.0.113.7')
      expect(await replay(String(id))).toBe('evidence_forgotten')
    }
    expect(await replay(String(ids['other']))).toBeUndefined()
  })

  test('their dispatch brings nothing any more', async () => {
    const more = { dispatch_id: ids['dispatch'] }
    const later = await evaluate({ phone_number: other }, more)

    const shown = await asked('GET', `/v2/watch/evaluations/${later}`)
    expect(JSON.stringify(shown)).not.toContain('203.0.113.7')
  })

  test('they are on no list', async () => {
    const listed = await asked('GET', `${phoneLists}/block`)
    const named = await asked('GET', `/v2/watch/management/lists/${list}/entries`)
    const value = encodeURIComponent(number)
    const history = await asked(
      'GET',
      `/v2/watch/management/lists/${list}/entries/history?value=${value}`,
    )
    const evaluated = await asked('POST', '/v2/watch/eval', {
      flow_id: flow,
      target: { phone_number: number },
    })

    expect(JSON.stringify([listed, named])).not.toContain(number.slice(1))
    expect(history['changes']).toEqual([])
    expect(evaluated['verdict']).toBe('PASS')
    await asked('POST', `${phoneLists}/block`, { phone_number: number })
    expect((await asked('GET', `${phoneLists}/block`))['phone_numbers']).toHaveLength(1)
  })

  test('their reports name nobody', async () => {
    const feedback = await asked('GET', '/v2/watch/feedback')
    const events = await asked('GET', '/v2/watch/event')

    expect(JSON.stringify([feedback, events])).not.toContain(number.slice(1))
    expect(JSON.stringify(feedback)).toContain('forgotten')
    expect(JSON.stringify(events)).toContain('forgotten')
  })

  test('the users who had the number are gone, also those of a retired application', async () => {
    for (const name of ['user', 'again']) {
      expect((await shop.send('GET', String(ids[name]))).status).toBe(404)
    }
    expect((await shop.send('GET', String(ids['neighbour']))).status).toBe(200)
    // what they were known by is free
    expect(
      (await shop.send('POST', `${ids['app']}/users`, { identifiers: [mail(address)] })).status,
    ).toBe(201)
  })

  test('again is no error, and counts what is erased already', async () => {
    const { status, body } = await erase({ phone_number: number })

    expect(status).toBe(200)
    expect(body).toMatchObject({ evaluations: 3, dispatches: 1, users: 2 })
    expect(body).not.toHaveProperty('reason')
  })
})

test('an address takes the evidence with it of evaluations that named a number as well', async () => {
  await open()
  const both = await evaluate({ phone_number: number, email_address: address })
  const later = await evaluate({ phone_number: '+33612345679' })

  const { body } = await erase({ email_address: 'ANN@example.com' })

  expect(body).toMatchObject({ kind: 'email_address', keys: 2, evaluations: 1 })
  expect(await replay(both)).toBe('evidence_forgotten')
  expect(await replay(later)).toBeUndefined()
})

test('given dispatches that feedback and an event alone named, when the person is erased, then they are, and no other', async () => {
  await open()
  const signals = { ip: '203.0.113.7' }
  const [first, second, others] = await Promise.all([1, 2, 3].map(() => shop.dispatch(signals)))
  const of = (value: string) => ({ target: { type: 'phone_number', value } })
  const said = { type: 'verification.started', label: 'x', confidence: 'high' }
  const reports = { ...said, ...of(number) }
  const feedbacks = [
    { ...reports, dispatch_id: first },
    { ...said, ...of('+33612345679'), dispatch_id: others },
  ]
  await asked('POST', '/v2/watch/feedback', { feedbacks })
  await asked('POST', '/v2/watch/event', { events: [{ ...reports, dispatch_id: second }] })

  expect((await erase({ phone_number: number })).body).toMatchObject({
    evaluations: 0,
    dispatches: 2,
  })

  const read = await Promise.all(
    [first, second, others].map(async (dispatch_id) => {
      const id = await evaluate({ phone_number: '+33612345679' }, { dispatch_id })
      return (await shop.send('GET', `/v2/watch/evaluations/${id}`)).text.includes(signals.ip)
    }),
  )
  expect(read).toEqual([false, false, true])
})

test('what somebody has written into a rule, a name or a reason is not found', async () => {
  await open()
  const rule = await shop.rule(`target.phone_number == "${number}"`)
  const called = await shop.rule('list.block', `As ${number} asked`)
  const listed = { phone_number: '+33612345679', reason: `A friend of ${number}` }
  await asked('POST', `${phoneLists}/block`, listed)

  expect((await erase({ phone_number: number })).status).toBe(200)

  const written = [rule, called].map((id) => `/v2/watch/management/rules/${id}`)
  for (const path of [...written, `${phoneLists}/block`]) {
    expect((await shop.send('GET', path)).text).toContain(number)
  }
})

test('statistics stay as they were, and the positions that the certificate names are those of the erasures on record', async () => {
  await open()
  const rule = await shop.rule('signal.existing_user')
  const used = await shop.flow([await shop.recipe([{ rule_id: rule, weight: 60 }])])
  const target = { phone_number: number }
  for (const existing_user of [true, true, false]) {
    await shop.evaluate(used, { target, signals: { existing_user } })
  }
  const report = async () => (await asked('GET', '/v2/watch/rules/report'))['rules']
  const before = await report()

  const { body } = await erase(target)

  expect(before).toMatchObject([{ rule_id: rule, fired: { unlabelled: 2 } }])
  expect(await report()).toEqual(before)
  const { events } = (await asked('GET', '/v2/watch/audit/events?type=SubjectErased')) as {
    events: { position: string; actor: string }[]
  }
  expect(events.map(({ position }) => position)).toEqual(body['erasures'])
  expect(new Set(events.map(({ actor }) => actor))).toEqual(new Set([shop.tokenId]))
})

test('a user is erased with everything that their number and their address name', async () => {
  await open()
  const [app, other] = [await newApp(), await newApp()]
  const user = await newUser(app, phone(number), mail(address))
  const sameNumber = await newUser(other, phone(number))
  const evaluations = [
    await evaluate({ phone_number: number }),
    await evaluate({ email_address: address }),
  ]
  const [, app_id, , user_id] = user.slice('/v2/session/'.length).split('/')

  const { body } = await erase({ user: { app_id, user_id } })

  expect(body).toMatchObject({ kind: 'user', evaluations: 2, users: 2 })
  for (const path of [user, sameNumber]) expect((await shop.send('GET', path)).status).toBe(404)
  for (const id of evaluations) expect(await replay(id)).toBe('evidence_forgotten')
  const since = await evaluate({ phone_number: number })
  const again = (await erase({ user: { app_id, user_id } })).body
  // the number may be somebody else's by now
  expect(again).toMatchObject({ evaluations: 2, users: 2 })
  expect(await replay(since)).toBeUndefined()
})

test.each([
  ['the number', { phone_number: number, reason: 'of 33 6 12 34 56 78' }],
  ['the number as it is written at home', { phone_number: number, reason: 'of 06 12 34 56 78' }],
  ['the number in full-width digits', { phone_number: number, reason: 'of ０６１２３４５６７８' }],
  ['the number in Arabic digits', { phone_number: number, reason: 'of ٠٦١٢٣٤٥٦٧٨' }],
  ['the address', { email_address: address, reason: 'Of Ann@Example.com' }],
  ['the domain in Unicode', { email_address: 'ann@xn--bcher-kva.de', reason: 'of ann@BÜCHER.de' }],
  ['the domain coded', { email_address: 'ann@bücher.de', reason: 'of ann＠xn--bcher-kva.de' }],
  ['decomposed letters', { email_address: 'rené@example.com', reason: 'rene\u0301@example.com' }],
])('a reason with %s is refused', async (_, body) => {
  await open()
  const refused = await erase(body)

  expect(refused.status).toBe(400)
  expect(refused.body).toMatchObject({ code: 'invalid_request', details: [{ path: 'reason' }] })
})

test('users that there are not, and certificates of others, are not found', async () => {
  await open()
  const [app_id] = (await newApp()).split('/').slice(-1)
  const { body } = await erase({ phone_number: number })
  const other = await openCustomer(vigil)
  const user = { app_id, user_id: 'usr_01h455vb4pex5vsknk084sn02q' }

  expect((await erase({ user })).status).toBe(404)
  expect((await other.send('GET', `/v2/watch/subjects/erasures/${body['id']}`)).status).toBe(404)
})

test('another instance forgets a person soon, and an erasure there finds what this one wrote', async () => {
  const { a, b } = await openTwoInstances()
  const customer = await openCustomer(a)
  const target = { phone_number: number }
  const flow_id = await customer.flowOf('list.block')
  const ask = async (at: typeof a, path: string, body?: object) =>
    (await at.door.request<Record<string, unknown>>('POST', path, { token: customer.token, body }))
      .body
  const { id } = await ask(b, '/v2/watch/eval', { flow_id, target })
  const replayOf = async (at: typeof a) =>
    (await ask(at, `/v2/watch/evaluations/${id}/replay`))['code']
  expect(await replayOf(b)).toBeUndefined()

  const { body } = await customer.send('POST', '/v2/watch/subjects/erase', target)

  expect(body).toMatchObject({ evaluations: 1 })
  expect(await replayOf(a)).toBe('evidence_forgotten')
  await eventually(async () => (await replayOf(b)) === 'evidence_forgotten')
})
