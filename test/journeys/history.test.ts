/** The history of an account: its events by position, filtered, each with a sentence and its content. */

import { beforeEach, expect, test } from 'vitest'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'

const start = Date.UTC(2026, 10, 21, 9, 30)
const number = '+33612345678'
const minuteMs = 60_000

const vigil = await openVigilOfFile()
let shop: Customer
let flow: string

beforeEach(async () => {
  vigil.setTime(start)
  shop = await openCustomer(vigil)
  flow = await shop.flowOf('list.block')
})

type Body = Readonly<Record<string, unknown>>

interface Event {
  readonly position: string
  readonly type: string
  readonly actor: string
  readonly summary: string
  readonly content: Readonly<Record<string, unknown>>
}

const send = (method: string, path: string, body?: object) => shop.send(method, path, body)
const ask = async (query: Readonly<Record<string, string>>, token = shop.token) => {
  // what was written before is in the read models
  await projectedHead(vigil)
  const path = `/v2/watch/audit/events?${new URLSearchParams(query)}`
  const { status, body } = await vigil.door.request<Body>('GET', path, { token })
  return { status, body, events: (body['events'] ?? []) as readonly Event[] }
}
const typesOf = (events: readonly Event[]) => events.map(({ type }) => type)
const evaluate = (phone_number = number) =>
  send('POST', '/v2/watch/eval', { flow_id: flow, target: { phone_number } })
const block = () =>
  send('POST', '/v2/verification/management/phone-numbers/block', { phone_number: number })

test('is all that was recorded, evaluations among it, in the order of the log', async () => {
  await evaluate()
  await block()
  const { events } = await ask({ limit: '200' })

  const positions = events.map(({ position }) => Number(position))
  expect(positions).toEqual(positions.toSorted((one, other) => one - other))
  expect(typesOf(events)).toEqual(
    expect.arrayContaining(['AccountOpened', 'RulePublished', 'FlowPublished', 'FlowEvaluated']),
  )
  expect(typesOf(events).at(-1)).toBe('PhoneNumberListed')
  expect(events.at(-1)?.summary).toBe('Put a phone number on the block list.')
})

test('goes back and forward page by page, without a gap and nothing twice', async () => {
  await evaluate()
  await block()
  // reading persons in clear is an event, and so is the first use of a token
  const auditor = await shop.tokenWith(['audit'])
  await ask({}, auditor)
  const whole = (await ask({ limit: '200' }, auditor)).events.map(({ position }) => position)

  const back: string[] = []
  for (let side: Record<string, string> | undefined = {}; side; ) {
    const { body, events } = await ask({ ...side, limit: '3' }, auditor)
    back.unshift(...events.map(({ position }) => position))
    const before = body['next_before'] as string | undefined
    side = before === undefined ? undefined : { before }
  }
  const forward: string[] = []
  for (let after = '0'; ; ) {
    const { body, events } = await ask({ after, limit: '3' }, auditor)
    forward.push(...events.map(({ position }) => position))
    if (events.length === 0) break
    after = String(body['next_after'])
  }

  expect(back).toEqual(whole)
  expect(forward).toEqual(whole)
})

test.each([{}, { after: '0' }])(
  'is followed from the position before the one that it was asked before: %o',
  async (side) => {
    const head = await projectedHead(vigil)

    const { body } = await ask({ ...side, before: String(head) })
    await block()
    const { events } = await ask({ after: String(body['next_after']) })

    expect(body['next_after']).toBe(String(head - 1))
    expect(typesOf(events)).toContain('PhoneNumberListed')
  },
)

test('of a person is what has their personal data, by number or address', async () => {
  await evaluate()
  await evaluate('+33612345679')
  await block()

  const { events } = await ask({ phone_number: number })

  expect(typesOf(events)).toEqual(['FlowEvaluated', 'PhoneNumberListed'])
  expect((await ask({ email_address: 'ann@example.com' })).events).toEqual([])
})

test('says forgotten once a person is erased', async () => {
  await block()
  await send('POST', '/v2/watch/subjects/erase', { phone_number: number })

  const [event] = (await ask({ type: 'PhoneNumberListed' })).events

  expect(event?.content['phone_number']).toEqual({ forgotten: true })
})

test('is filtered by actor and time', async () => {
  await evaluate()
  vigil.setTime(start + 10 * minuteMs)
  await block()
  const auditor = await shop.tokenWith(['audit'])
  const actor = (await ask({ type: 'PhoneNumberListed' }, auditor)).events[0]?.actor ?? ''
  const later = new Date(start + 5 * minuteMs).toISOString()

  expect(typesOf((await ask({ actor, from: later }, auditor)).events)).toEqual([
    'PhoneNumberListed',
  ])
  expect(typesOf((await ask({ actor, to: later }, auditor)).events)).toContain('FlowEvaluated')
})

test('shows no hash of a token, and nothing of another account', async () => {
  const other = await openCustomer(vigil)
  const { events } = await ask({ limit: '200' })

  expect(events.filter(({ type }) => type === 'ApiTokenIssued')).not.toEqual([])
  for (const { content } of events) expect(content).not.toHaveProperty('hash')
  expect(JSON.stringify(events)).not.toContain(other.accountId)
})

test('of who asks for a person by name says whether there is one, and with audit alone no more', async () => {
  await block()
  const auditor = await shop.tokenWith(['audit'])

  const known = await ask({ phone_number: number }, auditor)
  const unknown = await ask({ phone_number: '+33612345679' }, auditor)

  expect(known.events.map(({ content }) => content['phone_number'])).toEqual([{ sealed: true }])
  expect(unknown.events).toEqual([])
})

test('opens the evidence of an evaluation by name, and beside it its ids and what did not count', async () => {
  const reading = await shop.flowOf('signal.ext.cart == "counts"')
  // an address that is not public does not count
  const signals = { ip: '10.0.0.9', ext: { cart: 'counts', unread: 'counts, too' } }
  const dispatch_id = '0198c0de-7f4a-7b2c-9d1e-3a5b7c9d1e3f'
  await shop.evaluate(reading, { dispatch_id, signals })

  const [opened] = (await ask({ type: 'FlowEvaluated' })).events
  const auditor = await shop.tokenWith(['audit'])
  const [sealed] = (await ask({ type: 'FlowEvaluated' }, auditor)).events

  expect(opened?.content['evidence']).toEqual({
    dispatch_id,
    not_counted: [['signal.ip', '10.0.0.9', 'request', expect.any(String)]],
  })
  expect(sealed?.content['evidence']).toEqual({ sealed: true })
  expect(opened?.content['arrived']).toContainEqual({
    ...{ name: 'signal.ext.unread', value: 'counts, too', source: 'request' },
  })
})

test('between times has what a clock recorded that was less than a minute behind', async () => {
  vigil.setTime(start + 10 * minuteMs)
  await block()
  const lateMs = start + 10 * minuteMs - 50_000
  vigil.setTime(lateMs)
  await evaluate()
  vigil.setTime(start + 20 * minuteMs)
  const at = (ms: number) => new Date(ms).toISOString()

  const by = await ask({ from: at(start + minuteMs), to: at(lateMs + 1) })
  const since = await ask({ from: at(lateMs + 1), to: at(start + 20 * minuteMs) })

  expect(typesOf(by.events).at(-1)).toBe('FlowEvaluated')
  expect(typesOf(by.events)).not.toContain('PhoneNumberListed')
  expect(typesOf(since.events)).toEqual(['PhoneNumberListed'])
})
