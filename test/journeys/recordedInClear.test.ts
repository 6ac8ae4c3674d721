/** What an evaluation says in clear: names that arrived, digests of what counted and was sent, whose data it is. */

import { beforeEach, describe, expect, test } from 'vitest'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'

const vigil = await openVigilOfFile()
let shop: Customer
let flow: string
let auditor: string

beforeEach(async () => {
  shop = await openCustomer(vigil)
  auditor = await shop.tokenWith(['audit'])
  flow = await shop.flowOf('signal.ext.cart == "1"')
})

type Digests = Readonly<Record<string, string>>
interface Arrived {
  readonly name: string
  readonly value: unknown
  readonly source: string
}
interface Event {
  readonly type: string
  readonly subjects?: readonly string[]
  readonly content: {
    readonly counted?: Digests
    readonly sent?: Digests
    readonly digests?: Digests
    readonly arrived: readonly Arrived[]
    readonly ext_unnamed?: number
    readonly prediction?: true
  }
}

/** The events of a type, the oldest first, as the token sees them. */
async function history(type: string, token = auditor): Promise<readonly Event[]> {
  await projectedHead(vigil)
  const path = `/v2/watch/audit/events?type=${type}`
  const { body } = await vigil.door.request<{ events: readonly Event[] }>('GET', path, { token })
  return body.events
}
const evaluations = async (token = auditor) =>
  (await history('FlowEvaluated', token)).map(({ content }) => content)
const erase = (target: object) => shop.send('POST', '/v2/watch/subjects/erase', target)

const ann = { phone_number: '+33612345678', email_address: 'ann+1@example.com' }
const bob = { phone_number: '+33612399999', email_address: 'ann+2@example.com' }

describe('given people who share device, network and mailbox', () => {
  const device_id = 'the device of both'
  const ja4_fingerprint = 't13d1516h2_8daaf6152771_e5627efa2ab1'

  test('when all of them are erased, then the digests say so as before', async () => {
    for (const [target, ip] of [
      [ann, '203.0.113.1'],
      [bob, '203.0.113.2'],
    ] as const) {
      const dispatch_id = await shop.dispatch({ ip, device_id, ja4_fingerprint })
      await shop.evaluate(flow, { target, dispatch_id })
    }
    const before = await evaluations()
    for (const target of [ann, bob]) {
      await erase({ phone_number: target.phone_number })
      await erase({ email_address: target.email_address })
    }

    const after = await evaluations()
    const dispatched = (await history('SignalsDispatched')).map(({ content }) => content.digests)

    const [one, other] = after.map(({ counted }) => counted)
    expect(after.map(({ counted }) => counted)).toEqual(before.map(({ counted }) => counted))
    for (const same of ['network', 'device', 'ja4', 'mail_domain', 'mailbox', 'phone_prefix']) {
      expect(one?.[same]).toMatch(/^[\w-]{16}$/)
      expect(one?.[same]).toBe(other?.[same])
    }
    expect(one?.['ip']).not.toBe(other?.['ip'])
    expect(one).toMatchObject({ ...dispatched[0] })
    expect(Object.keys(dispatched[0] ?? {})).toEqual(['ip', 'network', 'device', 'ja4'])
    expect(
      after.flatMap(({ arrived }) => arrived).filter(({ value }) => value === device_id),
    ).toEqual([])
  })

  test('when one only sends what the other counts with, then that is told apart', async () => {
    const dispatch_id = await shop.dispatch({ ip: '203.0.113.1', device_id })
    await shop.evaluate(flow, { dispatch_id, signals: { ip: '198.51.100.1' } })
    await shop.evaluate(flow, { signals: { ip: '198.51.100.1', device_id } })

    const [found, none] = await evaluations()

    expect(Object.keys(found?.counted ?? {})).toEqual(['ip', 'network', 'device', 'phone_prefix'])
    expect(Object.keys(found?.sent ?? {})).toEqual(['ip', 'network'])
    expect(Object.keys(none?.counted ?? {})).toEqual(['phone_prefix'])
    expect(none?.sent).toEqual({ ...found?.sent, device: found?.counted?.['device'] })
  })

  test('when another account sees the same, then no digest is the same', async () => {
    const other = await openCustomer(vigil)
    await other.evaluate(await other.flowOf('list.block'), { target: ann, signals: { device_id } })
    await shop.evaluate(flow, { target: ann, signals: { device_id } })

    const [own] = await history('FlowEvaluated')
    const [foreign] = await history('FlowEvaluated', await other.tokenWith(['audit']))

    const digestsOf = ({ content: { counted, sent }, subjects = [] }: Event) => [
      ...Object.values({ ...counted, sent: sent?.['device'] }),
      ...subjects,
    ]
    const all = [own, foreign].flatMap((event) => (event ? digestsOf(event) : []))
    expect(all).toHaveLength(12)
    expect(new Set(all).size).toBe(12)
  })

  test('when a value stands on a list, then its subject there is not its digest as a signal', async () => {
    const list = await shop.list('addresses', 'ip_range')
    await shop.send('POST', `/v2/watch/management/lists/${list}/entries`, { value: '203.0.113.1' })
    await shop.evaluate(flow, { signals: { ip: '203.0.113.1' } })

    const [entry] = await history('ListEntryAdded')
    const [evaluated] = await evaluations()

    expect(entry?.subjects).toHaveLength(1)
    expect(entry?.subjects?.[0]?.slice(0, 16)).not.toBe(evaluated?.sent?.['ip'])
  })
})

describe('given a person who was evaluated and reported', () => {
  test('when the person is erased, then an auditor still joins the events by digest', async () => {
    await shop.evaluate(flow, { target: ann })
    const event = { target: { type: 'phone_number', value: ann.phone_number } }
    await shop.send('POST', '/v2/watch/event', {
      events: [{ ...event, label: 'account.banned', confidence: 'high' }],
    })
    await erase({ phone_number: ann.phone_number })

    const [evaluated] = await history('FlowEvaluated')
    const [reported] = await history('EventReported')

    expect(evaluated?.subjects).toHaveLength(2)
    expect(reported?.subjects).toEqual([evaluated?.subjects?.[0]])
  })
})

describe('given an evaluation with signals of its own', () => {
  const signals = {
    existing_user: true,
    ext: { cart: '1', 'odd key': '2', 'ann@example.com': '3', ['x'.repeat(65)]: '4' },
  }

  test('then the history shows each name with its value, sealed and forgotten where it is', async () => {
    const { body } = await shop.evaluate(flow, { target: ann, signals })
    const shown = await shop.send('GET', `/v2/watch/evaluations/${body['id']}`)

    const [opened] = await evaluations(shop.token)
    const [sealed] = await evaluations()
    await erase({ phone_number: ann.phone_number })
    const [erased] = await evaluations(shop.token)

    const named = (shown.body['evidence'] as readonly Arrived[]).filter(
      ({ name }) => !/@|x{65}/.test(name),
    )
    const byName = (items: readonly Arrived[] = []) =>
      items.toSorted((one, other) => (one.name < other.name ? -1 : 1))
    expect(byName(opened?.arrived)).toEqual(byName(named))
    for (const [seen, mark] of [
      [sealed, { sealed: true }],
      [erased, { forgotten: true }],
    ] as const) {
      const marked = byName(seen?.arrived).filter(({ name }) => name !== 'target.email_address')
      expect(marked.map(({ name, source }) => [name, source])).toEqual(
        byName(named)
          .filter(({ name }) => name !== 'target.email_address')
          .map(({ name, source }) => [name, source]),
      )
      expect(marked.map(({ name, value }) => (name === 'request.time' ? mark : value))).toEqual(
        marked.map(() => mark),
      )
      expect(seen?.ext_unnamed).toBe(2)
    }
  })

  test('then a key that may name a person is nowhere in the log in clear', async () => {
    const { body } = await shop.evaluate(flow, { target: ann, signals })

    const stream = `evaluation-${body['id']}`
    const [recorded] = await vigil.service.context.events.readStream(stream, { from: 0, limit: 1 })

    expect(recorded?.data).toContain('"ext":["cart","odd key"]')
    expect(recorded?.data).not.toMatch(/ann@|xxx/)
  })

  test('then only one that answers a prediction says so, and either is found by its correlation id', async () => {
    await shop.send('PUT', '/v2/watch/management/predict', { flow_id: flow })
    const metadata = { correlation_id: 'signup-1' }
    const evaluated = await shop.evaluate(flow, { metadata })
    const predicted = await shop.send('POST', '/v2/watch/predict', { target: ann, metadata })

    const [one, other] = await evaluations()
    const path = '/v2/watch/evaluations'
    const found = await shop.send('GET', `${path}?correlation_id=signup-1`)
    const shown = await shop.send('GET', `${path}/${predicted.body['id']}`)

    expect([one?.prediction, other?.prediction]).toEqual([undefined, true])
    const ids = (found.body['evaluations'] as readonly { id: string }[]).map(({ id }) => id)
    expect(ids.toSorted()).toEqual([evaluated.body['id'], predicted.body['id']].toSorted())
    expect(shown.body).toMatchObject({ ...metadata, prediction: true })
  })
})
