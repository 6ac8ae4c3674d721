/** Which evaluations a label belongs to, and what an account takes for fraud. */

import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { eraseSubjects } from '../../src/commands/handling/eraseSubject.ts'
import { decode, openEvent } from '../../src/events/catalogue.ts'
import { draws } from '../support/draws.ts'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { type Customer, openCustomer, sendAs } from '../support/openVigil.ts'

const vigil = await openVigilOfFile()
const { context } = vigil.service
const start = Date.UTC(2026, 10, 21, 9)
const minutes = (count: number) => start + count * 60_000
const iso = (count: number) => new Date(minutes(count)).toISOString()

let shop: Customer
let flow: string
let position = '0'

beforeAll(async () => {
  vigil.setTime(start)
  shop = await openCustomer(vigil)
  flow = await shop.flowOf('1 == 1')
})

type Body = Record<string, unknown>

interface Person {
  readonly phone_number?: string
  readonly email_address?: string
}

const evaluate = async (target: Person) => {
  const { body, headers } = await shop.evaluate(flow, { target })
  position = String(headers['x-vigil-position'])
  return String(body['id'])
}
const label = async (value: string, change: object = {}) => {
  const type = value.includes('@') ? 'email_address' : 'phone_number'
  const entry = {
    target: { type, value },
    label: 'payment.chargeback',
    confidence: 'low',
    ...change,
  }
  const { status, headers, text } = await shop.send('POST', '/v2/watch/event', { events: [entry] })
  if (status !== 200) throw new Error(text)
  position = String(headers['x-vigil-position'])
}
const list = async (query: object = {}) => {
  const asked = new URLSearchParams({ order: 'oldest', min_position: position, ...query })
  const { body } = await shop.send('GET', `/v2/watch/evaluations?${asked}`)
  return body['evaluations'] as readonly Body[]
}
const classes = async (query: object) => (await list(query)).map(({ label_class }) => label_class)

describe('a label', () => {
  test('given three evaluations of a person, when it names one, is of that one alone', async () => {
    const ann = { phone_number: '+33611111111' }
    const ids: string[] = []
    for (const minute of [1, 2, 3]) {
      vigil.setTime(minutes(minute))
      ids.push(await evaluate(ann))
    }

    await label(ann.phone_number, { evaluation_id: ids[1] })

    expect(await classes(ann)).toEqual([undefined, 'fraud', undefined])
    expect((await list(ann)).map(({ followed_by }) => followed_by)).toEqual([
      [],
      [expect.objectContaining({ name: 'payment.chargeback' })],
      [],
    ])
  })

  test('that names an evaluation is of it whoever is its target, and whenever it happened', async () => {
    const bob = { email_address: 'bob@example.com' }
    vigil.setTime(minutes(10))
    const evaluation_id = await evaluate(bob)

    await label('+33622222222', { evaluation_id, occurred_at: iso(1) })

    expect(await classes(bob)).toEqual(['fraud'])
  })

  test('that names a person is of the evaluations before it happened', async () => {
    const cid = { phone_number: '+33633333333' }
    for (const minute of [20, 21, 22]) {
      vigil.setTime(minutes(minute))
      await evaluate(cid)
    }
    vigil.setTime(minutes(30))

    await label(cid.phone_number, { occurred_at: iso(21) })

    expect(await classes(cid)).toEqual(['fraud', 'fraud', undefined])
    const [first] = await list(cid)
    expect(first?.['followed_by']).toEqual([
      {
        kind: 'event',
        name: 'payment.chargeback',
        confidence: 'low',
        occurred_at: iso(21),
        last_reported_at: iso(30),
      },
    ])
  })

  test('told late, does not take the place of one of its kind that happened after it', async () => {
    const fay = { phone_number: '+33666666666' }
    for (const minute of [32, 34]) {
      vigil.setTime(minutes(minute))
      await evaluate(fay)
    }
    vigil.setTime(minutes(39))
    await label(fay.phone_number, { occurred_at: iso(35) })

    await label(fay.phone_number, { occurred_at: iso(33) })

    expect(await classes(fay)).toEqual(['fraud', 'fraud'])
  })

  test('given instances whose clocks differ, when it was told as it happened, is of the evaluations before it in the log', async () => {
    const gus = { phone_number: '+33677777777' }
    vigil.setTime(minutes(37))
    await evaluate(gus)
    vigil.setTime(minutes(36))
    await label(gus.phone_number)
    vigil.setTime(minutes(35))
    await evaluate(gus)

    const [later, earlier] = await classes(gus)

    expect([earlier, later]).toEqual(['fraud', undefined])
  })

  test('stays on its evaluation when the person is erased', async () => {
    const dan = { phone_number: '+33644444444' }
    vigil.setTime(minutes(40))
    const evaluation_id = await evaluate(dan)
    await label(dan.phone_number, { evaluation_id })
    const subject = context.keyring.subject(shop.accountId, 'phone', dan.phone_number)
    const call = { principal: { kind: 'operator' } as const, requestId: 'r' }

    await eraseSubjects(context, call, { account: shop.accountId, subjects: [subject] })
    position = String(await context.events.head())

    expect(await list(dan)).toMatchObject([{ label_class: 'fraud', forgotten: true }])
  })

  test('of more kinds than are kept for an evaluation, that is said', async () => {
    const eve = { phone_number: '+33655555555' }
    const evaluation_id = await evaluate(eve)
    const events = Array.from({ length: 101 }, (_, index) => ({
      target: { type: 'phone_number', value: eve.phone_number },
      label: `label.${index}`,
      confidence: 'low',
      evaluation_id,
    }))
    for (const batch of [events.slice(0, 100), events.slice(100)]) {
      const { headers } = await shop.send('POST', '/v2/watch/event', { events: batch })
      position = String(headers['x-vigil-position'])
    }

    expect(await list(eve)).toMatchObject([{ id: evaluation_id, followed_by_more: true }])
  })
})

const labels = ['payment.chargeback', 'account.banned', 'user.legitimate'] as const
const confidences = ['high', 'low'] as const

/** What happens, a minute or none after what happened before. */
const step = fc.record({
  advance: fc.integer({ min: 0, max: 1 }),
  person: fc.integer({ min: 0, max: 2 }),
  does: fc.oneof(
    fc.constant({ kind: 'evaluate' } as const),
    fc.record({
      kind: fc.constant('report' as const),
      label: fc.constantFrom(...labels),
      confidence: fc.constantFrom(...confidences),
      /** Which of the evaluations before it, if any. */
      names: fc.option(fc.nat({ max: 5 }), { nil: undefined, freq: 1 }),
      /** Minutes before now. */
      ago: fc.option(fc.nat({ max: 4 }), { nil: undefined }),
    }),
  ),
})

/** The plainest reading of the raw history: of each evaluation its own labels, the last of a name, and the class. */
async function readHistory(after: number) {
  const recorded = await context.events.readAll({ after, limit: 1_000 })
  const own = recorded.filter(({ type }) => type === 'FlowEvaluated' || type === 'EventReported')
  const opened = await Promise.all(own.map((event) => openEvent(decode(event), context.keyring)))
  const history = opened.map(({ event, metadata, position: at }) => {
    const data = event.data as unknown as Body
    const time = Number(data['occurred_at'] ?? data['time'] ?? metadata.time)
    return { type: event.type as string, data, time, at }
  })
  const reports = history.filter(({ type }) => type === 'EventReported')
  return history.flatMap(({ type, data: evaluation, time, at }) => {
    if (type !== 'FlowEvaluated') return []
    const { evaluation_id: id, phone_number, email_address } = evaluation
    const belongs = reports
      .filter(({ data, ...report }) =>
        data['evaluation_id'] === undefined
          ? (data['target'] === phone_number || data['target'] === email_address) &&
            (report.time > time || (report.time === time && report.at > at))
          : data['evaluation_id'] === id,
      )
      .sort((one, other) => one.time - other.time || one.at - other.at)
    const last = belongs.filter(
      ({ data }, index) =>
        !belongs.slice(index + 1).some((later) => later.data['label'] === data['label']),
    )
    const meanings = belongs.flatMap(({ data }) => {
      const isSure = data['confidence'] === 'maximum' || data['confidence'] === 'high'
      if (data['label'] === 'payment.chargeback') return ['fraud']
      if (data['label'] === 'account.banned' && isSure) return ['fraud']
      return data['label'] === 'user.legitimate' && isSure ? ['legitimate'] : []
    })
    const names = last.map(({ data }) => `${data['label']} ${data['confidence']}`)
    return [{ id, names, label_class: meanings.at(-1) }]
  })
}

test('however evaluations and labels follow each other, each label is of the evaluations that the raw history says', async () => {
  let runs = 0
  let labelled = 0
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 6, maxLength: 18 }),
    async (steps) => {
      runs += 1
      const number = `+336123${String(runs).padStart(5, '0')}`
      const address = `person-${runs}@example.com`
      const persons = [
        { phone_number: number },
        { email_address: address },
        { phone_number: number, email_address: address },
      ]
      const ids: string[] = []
      const after = await context.events.head()
      let now = 1_000 * runs
      for (const { advance, person, does } of steps) {
        now += advance
        vigil.setTime(minutes(now))
        if (does.kind === 'evaluate') {
          ids.push(await evaluate(persons[person] ?? {}))
          continue
        }
        const { names = -1, ago, label: name, confidence } = does
        const evaluation_id = ids[names]
        await label(person === 1 ? address : number, {
          label: name,
          confidence,
          ...(evaluation_id !== undefined && { evaluation_id }),
          ...(ago !== undefined && { occurred_at: iso(now - ago) }),
        })
      }

      const expected = await readHistory(after)
      const found = await list({ from: iso(1_000 * runs), limit: '200' })

      const shown = found.map(({ id, followed_by, label_class }) => ({
        id,
        names: (followed_by as readonly Body[]).map((one) => `${one['name']} ${one['confidence']}`),
        label_class,
      }))
      const byId = (one: Body, other: Body) => (String(one['id']) < String(other['id']) ? -1 : 1)
      // what has the same time is listed by its id
      expect(shown.sort(byId)).toEqual(expected.sort(byId))
      labelled += expected.filter(({ label_class }) => label_class !== undefined).length
    },
  )

  await fc.assert(property, { numRuns: draws(200) })

  expect(labelled).toBeGreaterThan(runs / 2)
})

describe('what an account takes for fraud and legitimate', () => {
  const path = '/v2/watch/management/labels'
  const own = [
    { label: 'payment.chargeback', confidences: ['maximum'], class: 'none' },
    { label: 'chargeback', class: 'legitimate' },
  ]
  const head = async () => String(await context.events.head())
  const stateOf = async (as_of: string) => {
    const query = new URLSearchParams({ kind: 'account', as_of })
    const { body } = await shop.send('GET', `/v2/watch/audit/state?${query}`)
    return (body['items'] as readonly Body[])[0]?.['content']
  }

  beforeAll(async () => {
    vigil.setTime(minutes(100_000_000))
    shop = await openCustomer(vigil)
    flow = await shop.flowOf('1 == 1')
  })

  test('is a default until it is set; then searches go by what is set, and another account by its own', async () => {
    const neighbour = await openCustomer(vigil)
    const [ann, bob] = [{ phone_number: '+33611111111' }, { phone_number: '+33622222222' }]
    await evaluate(ann)
    vigil.setTime(minutes(100_000_001))
    await evaluate(bob)
    await label(ann.phone_number, { confidence: 'maximum' })
    await label(bob.phone_number)
    const before = await shop.send('GET', path)
    const defaults = await classes({})

    const set = await shop.send('PUT', path, { classes: own })

    expect([before.status, before.body['classes']]).toEqual([
      200,
      expect.arrayContaining([{ label: 'chargeback', class: 'fraud' }]),
    ])
    expect(defaults).toEqual(['fraud', 'fraud'])
    expect([set.status, set.body]).toEqual([200, { classes: own }])
    expect((await shop.send('GET', path)).body).toEqual({ classes: own })
    expect(await classes({})).toEqual([undefined, 'legitimate'])
    expect((await neighbour.send('GET', path)).body).toEqual(before.body)
  })

  test('is in the history of the account, and in its state as of any time', async () => {
    await shop.send('PUT', path, { classes: own })
    const first = await head()
    await shop.send('PUT', path, { classes: [] })
    const second = await head()

    const { body } = await shop.send('GET', '/v2/watch/audit/events?type=LabelClassesSet')

    expect(await stateOf(first)).toMatchObject({ label_classes: own })
    expect(await stateOf(second)).toMatchObject({ label_classes: [] })
    const set = body['events'] as readonly Body[]
    expect(set.at(-1)).toMatchObject({ actor: shop.tokenId, content: { classes: [] } })
    const query = new URLSearchParams({ kind: 'account', from: first, to: second })
    const difference = await shop.send('GET', `/v2/watch/audit/difference?${query}`)
    expect(difference.body['changes']).toMatchObject([
      { kind: 'account', fields: [{ path: 'label_classes', before: own, after: [] }] },
    ])
  })

  test.each([
    ['chargeback', 'fraud', 0],
    ['payment.chargeback', 'fraud', 1],
    ['card.payment.chargeback', 'fraud', 2],
    ['nochargeback', undefined, 3],
    ['chargeback.reversed', undefined, 4],
    ['back', undefined, 5],
  ])(
    'takes for the end of a label what comes after a dot: %s is %s',
    async (name, expected, index) => {
      await shop.send('PUT', path, { classes: [{ label: 'chargeback', class: 'fraud' }] })
      vigil.setTime(minutes(100_001_000 + index))
      const evaluation_id = await evaluate({ email_address: 'ann@example.com' })

      await label('ann@example.com', { label: name, evaluation_id })

      expect(await classes({ from: iso(100_001_000 + index) })).toEqual([expected])
    },
  )

  test('set as it is already, it is no event', async () => {
    await shop.send('PUT', path, { classes: own })
    const before = await head()

    const { status } = await shop.send('PUT', path, { classes: own })

    expect([status, await head()]).toEqual([200, before])
  })

  test.each([
    ['classes', {}],
    ['classes', { classes: Array.from({ length: 51 }, () => own[1]) }],
    ['classes.0.label', { classes: [{ label: 'a@b', class: 'fraud' }] }],
    ['classes.0.label', { classes: [{ label: '', class: 'fraud' }] }],
    ['classes.0.label', { classes: [{ label: '.a', class: 'fraud' }] }],
    ['classes.0.label', { classes: [{ label: 'a.*', class: 'fraud' }] }],
    ['classes.0.class', { classes: [{ label: 'a', class: 'suspicious' }] }],
    ['classes.0.confidences', { classes: [{ label: 'a', class: 'fraud', confidences: [] }] }],
    ['classes.0.confidences.0', { classes: [{ label: 'a', class: 'fraud', confidences: ['x'] }] }],
    [
      'classes.0.confidences',
      { classes: [{ label: 'a', class: 'fraud', confidences: ['low', 'low'] }] },
    ],
    ['classes.0.weight', { classes: [{ label: 'a', class: 'fraud', weight: 1 }] }],
    ['default', { classes: [], default: true }],
  ])('is refused at %s: %j', async (place, body) => {
    const { status, body: answer } = await shop.send('PUT', path, body)

    expect(status).toBe(400)
    expect((answer['details'] as readonly Body[]).map((detail) => detail['path'])).toEqual([place])
  })

  test('is set by authors, where authoring is enabled, and read by analysts', async () => {
    const token = await shop.tokenWith(['analyse'])
    const ask = (method: string, body?: object) =>
      vigil.door.request<Body>(method, path, { token, ...(body && { body }) })

    expect((await ask('GET')).status).toBe(200)
    expect((await ask('PUT', { classes: [] })).status).toBe(403)
  })

  test('set on one instance, is known on the other at once', async () => {
    const two = await openTwoInstances()
    const customer = await openCustomer(two.a)
    const onB = sendAs(two.b, customer.token)
    await onB('GET', path)

    await customer.send('PUT', path, { classes: own })

    expect((await onB('GET', path)).body).toEqual({ classes: own })
  })
})
