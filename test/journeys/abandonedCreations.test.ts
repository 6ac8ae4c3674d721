/**
 * Creations that others have abandoned and that go on after all, at the very moment that what they claimed is taken
 * over or let go of.
 */

import { expect, test } from 'vitest'
import { identifierDigest } from '../../src/state/sessions/findUser.ts'
import type { Append, EventStore } from '../../src/stores/eventStore.ts'
import { caughtUp } from '../support/caughtUp.ts'
import { type Instance, openTwoInstances } from '../support/openTwoInstances.ts'
import { openCustomer } from '../support/openVigil.ts'

type Body = Record<string, unknown>
interface Answer {
  readonly status: number
  readonly body: Body
}
type Appending = EventStore['append']

const number = { type: 'phone_number', value: '+33612345678' }
const other = { type: 'phone_number', value: '+33612345679' }

const writes = ({ events }: Append, type: string) => events.some((event) => event.type === type)

/** What is done with the appends of the instance from now on, beside appending. */
function around({ context: { events } }: Instance, make: (append: Appending) => Appending): void {
  const { append } = events
  Object.assign(events, { append: make(append) })
}

/** The first append of an event of this type waits for what is done first. */
function beforeFirst(instance: Instance, type: string, work: () => Promise<void>): void {
  let first = true
  around(instance, (append) => async (one) => {
    if (first && writes(one, type)) {
      first = false
      await work()
    }
    return append(one)
  })
}

function signal() {
  let give = (): void => {}
  const given = new Promise<void>((resolve) => {
    give = resolve
  })
  return { given, give: () => give() }
}

/** Two instances and an application: H is created at A, X at B, whose clock can be moved. */
async function openShop() {
  const { a, b, ageB } = await openTwoInstances({ deaf: true })
  const customer = await openCustomer(a)
  const app = await customer.send('POST', '/v2/session/apps', { name: 'Shop' })
  const appId = String(app.body['app_id'])
  const path = `/v2/session/apps/${appId}/users`
  const creating = ({ door }: Instance, key: string, identifiers: readonly unknown[]) =>
    door.request<Body>('POST', path, {
      token: customer.token,
      headers: { 'idempotency-key': key },
      body: { identifiers },
    })
  const owners = async () => {
    await caughtUp(a)
    const query = `?type=phone_number&value=${encodeURIComponent(number.value)}`
    const all = (await customer.send('GET', path)).body['users'] as Body[]
    const found = (await customer.send('GET', `${path}${query}`)).body['users'] as Body[]
    const having = all.filter(({ identifiers }) =>
      JSON.stringify(identifiers).includes(number.value),
    )
    return { having: having.map(({ id }) => id), found: found.map(({ id }) => id) }
  }
  const digestOf = (identifier: typeof number) =>
    identifierDigest(a.context, appId, { ...identifier, type: 'phone_number' })
  return { a, b, ageB, customer, path, creating, owners, digestOf }
}

/** H has claimed the number, and its process ended before there was a user; long ago, for B. */
async function openLeftClaim() {
  const shop = await openShop()
  let alive = false
  around(shop.a, (append) => async (one) => {
    if (!alive && writes(one, 'UserCreated')) throw new Error('the process has ended')
    return append(one)
  })
  const ended = await shop.creating(shop.a, 'h', [number])
  expect(ended.status).toBe(500)
  alive = true
  shop.ageB(60_000)
  return shop
}

test('a creation that is sent again right before its claim is taken over keeps it', async () => {
  const { a, b, creating, owners } = await openLeftClaim()
  let again: Answer | undefined
  beforeFirst(b, 'IdentifierClaimed', async () => {
    again = await creating(a, 'h', [number])
  })

  const x = await creating(b, 'x', [number])

  expect(again).toMatchObject({ status: 201 })
  expect(x).toMatchObject({ status: 409, body: { code: 'identifier_already_exists' } })
  const id = again?.body['id']
  expect(await owners()).toEqual({ having: [id], found: [id] })
}, 180_000)

test('a creation that is sent again and writes right after its claim was taken over does not get it', async () => {
  const { a, b, creating, owners } = await openLeftClaim()
  const hWrites = signal()
  const xHasWritten = signal()
  around(a, (append) => async (one) => {
    hWrites.give()
    await xHasWritten.given
    return append(one)
  })
  let again: Promise<Answer> | undefined
  around(b, (append) => async (one) => {
    const takesOver = writes(one, 'IdentifierClaimed')
    if (takesOver) {
      again = creating(a, 'h', [number])
      await hWrites.given
    }
    const answer = await append(one)
    if (takesOver) xHasWritten.give()
    return answer
  })

  const x = await creating(b, 'x', [number])

  expect(x.status).toBe(201)
  expect(await again).toMatchObject({ status: 409, body: { code: 'identifier_already_exists' } })
  expect(await owners()).toEqual({ having: [x.body['id']], found: [x.body['id']] })
}, 180_000)

test('a creation that could not have all lets go of nothing that was claimed anew meanwhile', async () => {
  const { a, b, customer, path, creating, digestOf } = await openShop()
  const inOrder = [number, other].toSorted((one, two) => (digestOf(one) < digestOf(two) ? -1 : 1))
  const [first, last] = inOrder
  const holder = await creating(a, 'holder', [last])
  let again: Answer | undefined
  beforeFirst(b, 'IdentifierReleased', async () => {
    await customer.send('DELETE', `${path}/${String(holder.body['id'])}`)
    again = await creating(a, 'h', inOrder)
  })

  const h = await creating(b, 'h', inOrder)
  const x = await creating(a, 'x', [first])

  expect(h).toMatchObject({ status: 409, body: { code: 'identifier_already_exists' } })
  expect(again).toMatchObject({ status: 201 })
  expect(x).toMatchObject({ status: 409, body: { code: 'identifier_already_exists' } })
}, 180_000)
